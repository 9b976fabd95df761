// The public edge alone, in front of the services that the environment names. See docs/scaling.md.
import { runApp } from './run-app.mjs';
import { refuseArguments } from './usage.mjs';

refuseArguments(
  process.argv.slice(2),
  `Usage: npm run gateway

Starts the public edge alone, in front of services that variables name. It takes no arguments (docs/scaling.md,
docs/environment.md).
`,
);
await runApp('gateway');
