// The product as a process for each service and each slow service's queue, on this machine. See docs/scaling.md.
import { fleetPrograms } from './node-flags.mjs';
import { runApp } from './run-app.mjs';

await runApp('fleet', [JSON.stringify(fleetPrograms())]);
