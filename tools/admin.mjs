// The admin command: builds what has changed, then runs it. See README.md, "Operating it".
import { NODE_FLAGS } from './node-flags.mjs';
import { prepare, runOrExit } from './prepare.mjs';

runOrExit(await prepare(), [...NODE_FLAGS, 'apps/admin/dist/main.js', ...process.argv.slice(2)]);
