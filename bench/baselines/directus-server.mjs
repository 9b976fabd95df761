// Directus as its documentation starts it, in this process: for production, without telemetry, and with a limit of bodies that lets an import in.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort } from '@quarry/local-postgres';
import { serveCommands, untilOk } from '../harness/child-process.mjs';

await serveCommands(async ({ packages, url, dir, token }) => {
  // The command line of the package asks the registry for updates first and then runs this one.
  const cli = createRequire(`${packages}/`).resolve('@directus/api/cli/run.js');
  const port = await freePort();
  // Uploads, extensions and a file of settings are looked for in the working directory.
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
  // It exits when it has made the tables, so that it is a process of its own.
  execFileSync(process.execPath, [...process.execArgv, cli, 'bootstrap'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { send } = process;
  // A process manager is told that it is ready; here the answer of this script is expected.
  process.send = undefined;
  process.argv.splice(2, Infinity, 'start');
  await import(cli);
  await untilOk(`http://127.0.0.1:${port}/server/ping`);
  process.send = send;
  return { facts: { port } };
});
