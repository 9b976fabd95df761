// Measures how well prompts are read; see bench/prompts/README.md.
import { prepare, runOrExit } from './prepare.mjs';

const root = await prepare();
runOrExit(root, ['bench/prompts/read-prompts.mjs', ...process.argv.slice(2)]);
