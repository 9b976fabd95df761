// The public edge alone, in front of services that the environment names. See docs/scaling.md.
import { runApp } from './run-app.mjs';

await runApp('gateway', process.argv.slice(2));
