// The admin command: builds the changed packages, then runs it. See docs/administration.md.
import { nodeFlagsOf, programOf } from './node-flags.mjs';
import { prepare, runOrExit } from './prepare.mjs';

runOrExit(await prepare(), [...nodeFlagsOf('admin'), programOf('admin'), ...process.argv.slice(2)]);
