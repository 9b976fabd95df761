// The admin command: builds what has changed, then runs it. See README.md, "Operating it".
import { nodeFlagsOf } from './node-flags.mjs';
import { prepare, runOrExit } from './prepare.mjs';

runOrExit(await prepare(), [...nodeFlagsOf('admin'), 'apps/admin/dist/main.js', ...process.argv.slice(2)]);
