// Brings the product up from a fresh clone: installs what is missing, builds what has changed, then hands over.
// Uses nothing but Node itself, because it runs before anything is installed.
import { runApp } from './run-app.mjs';

await runApp('local', process.argv.slice(2));
