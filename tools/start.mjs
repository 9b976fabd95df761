// Starts the product from a fresh clone: installs missing packages, builds the changed ones, then starts the app.
// Uses only Node itself, because it runs before anything is installed.
import { runApp } from './run-app.mjs';
import { refuseArguments } from './usage.mjs';

refuseArguments(
  process.argv.slice(2),
  `Usage: npm start

Installs and builds what is missing, starts Quarry with its own PostgreSQL, and prints a link that signs you in.
Ctrl-C stops it. It takes no arguments. Environment variables configure it, such as these (all are in docs/environment.md):

  PORT          port of the API and the web application (3000; 0 for any that is free)
  HOST          address that they listen on (127.0.0.1)
  DATA_DIR      folder of everything that it writes (.data)
  DATABASE_URL  PostgreSQL to use instead of its own
  MODEL_URL     language model, with MODEL_NAME and MODEL_KEY (none)

Example:
  $ PORT=3001 DATA_DIR=/srv/quarry npm start
`,
);
await runApp('local');
