// The product with one process per service and per slow service's queue, on this machine. See docs/scaling.md.
import { fleetPrograms } from './node-flags.mjs';
import { runApp } from './run-app.mjs';
import { refuseArguments } from './usage.mjs';

refuseArguments(
  process.argv.slice(2),
  `Usage: npm run fleet

Starts Quarry as a process for each service and each queue, on this machine. It takes no arguments, and the variables of
“npm start” (docs/scaling.md, docs/environment.md).

Example:
  $ PORT=3001 npm run fleet
`,
);
await runApp('fleet', [JSON.stringify(fleetPrograms())]);
