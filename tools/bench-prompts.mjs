// Measures how well prompts are understood; see bench/prompts/README.md.
import { prepare, runOrExit } from './prepare.mjs';

const root = await prepare();
runOrExit(root, ['bench/prompts/read-prompts.mjs', ...process.argv.slice(2)]);
