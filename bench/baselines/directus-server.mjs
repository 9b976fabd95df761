// Directus in this process as its documentation starts it: in production mode, without telemetry, and with a body limit that
// allows imports.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort } from '@quarry/local-postgres';
import { serveCommands, untilOk } from '../harness/child-process.mjs';

await serveCommands(async ({ packages, url, dir, token }) => {
  // The package's command line first asks the registry for updates, and then runs this one.
  const cli = createRequire(`${packages}/`).resolve('@directus/api/cli/run.js');
  const port = await freePort();
  // Directus looks for uploads, extensions and a settings file in the working directory.
  process.chdir(dir);
  Object.assign(process.env, {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SECRET: 'b'.repeat(32),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'bench-password',
    ADMIN_TOKEN: token,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    MAX_PAYLOAD_SIZE: '64mb',
    // It would refuse requests while the load keeps its event loop busy.
    PRESSURE_LIMITER_ENABLED: 'false',
  });
  // In a separate process, because it exits after it has created the tables.
  execFileSync(process.execPath, [...process.execArgv, cli, 'bootstrap'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { send } = process;
  // Directus would report its readiness to a process manager; here the harness expects this script's message.
  process.send = undefined;
  process.argv.splice(2, Infinity, 'start');
  await import(cli);
  await untilOk(`http://127.0.0.1:${port}/server/ping`);
  process.send = send;
  return { facts: { port } };
});
