// The admin command: builds what has changed, then runs it. See README.md, "Operating it".
import { prepare, runOrExit } from './prepare.mjs';

runOrExit(await prepare(), ['--enable-source-maps', 'apps/admin/dist/main.js', ...process.argv.slice(2)]);
