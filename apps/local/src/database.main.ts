// Keeps the PostgreSQL of a data folder running while `npm run dev` restarts the product on it. Sends the address of the
// database to its parent, and stops the server when the parent closes the channel or has ended.
import { DataDir, DatabaseSetUpError, openLocalDatabase, StartError } from '@quarry/installation';
import { PostgresServerError } from '@quarry/local-postgres';
import { Lifecycle, loadEnvOrExit } from '@quarry/app';
import { LocalEnv } from './local.env.js';

const env = loadEnvOrExit(LocalEnv);
const life = new Lifecycle((part, error) => printLine(`${part} did not close: ${(error as Error).message}`));

process.once('disconnect', () => void life.close().then(() => process.exit(0)));
life.closeOnSignals((code) => process.exit(code));
try {
  // The lock ensures that no other product uses the folder; the product that is started on it takes the lock itself.
  const dataDir = await DataDir.open(env.DATA_DIR);
  const local = await life.open(
    'PostgreSQL',
    () =>
      openLocalDatabase({
        databaseUrl: env.DATABASE_URL ?? null,
        dataDir: dataDir.path,
        onProgress: printLine,
      }),
    (part) => part.close(),
  );
  dataDir.close();
  local.server?.onLost((how) => {
    printLine(`The embedded PostgreSQL ended unexpectedly (${how}).`);
    process.exit(1);
  });
  process.send?.(local.url);
} catch (error) {
  if (life.isClosing) await new Promise(() => undefined);
  const isSentence = [StartError, PostgresServerError, DatabaseSetUpError].some(
    (type) => error instanceof type,
  );
  printLine(
    isSentence ? (error as Error).message : `The database could not start: ${(error as Error).message}`,
  );
  process.exit(1);
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
