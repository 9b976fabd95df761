// The admin command: builds what has changed, then runs it. See docs/administration.md.
import { nodeFlagsOf } from './node-flags.mjs';
import { prepare, runOrExit } from './prepare.mjs';

runOrExit(await prepare(), [...nodeFlagsOf('admin'), 'apps/admin/dist/main.js', ...process.argv.slice(2)]);
