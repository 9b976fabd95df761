import { parseArgs } from 'node:util';
import { borrowLocalDatabase, migratedDatabase } from '@quarry/composition';
import { loadEnvOrExit } from '@quarry/platform';
import { AdminEnv } from './admin.env.js';
import { COMMANDS, UsageError, type Command, type Options } from './commands.js';

// One JSON object on standard output, errors on standard error with exit code 1: made for scripts.
try {
  const { command, options } = readArguments(process.argv.slice(2));
  const env = loadEnvOrExit(AdminEnv);
  const local = await borrowLocalDatabase({
    databaseUrl: env.DATABASE_URL ?? null,
    dataDir: env.DATA_DIR,
    onProgress: (line) => void process.stderr.write(`${line}\n`),
  });
  const database = await migratedDatabase(local.url, 'admin');
  try {
    process.stdout.write(`${JSON.stringify(await command.run(database, options))}\n`);
  } finally {
    await database.close();
    await local.close();
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

function readArguments([name, ...args]: string[]): { command: Command; options: Options } {
  const command = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  if (!command) {
    const list = Object.values(COMMANDS).map(({ usage }) => `  npm run admin -- ${usage}`);
    throw new UsageError(
      `${name === undefined ? 'Name a command.' : `There is no command ${name}.`} The commands are:\n${list.join('\n')}`,
    );
  }
  const known = Object.entries(command.options).map(
    ([option, kind]) =>
      [
        option,
        { type: kind === 'switch' ? 'boolean' : 'string', multiple: kind === 'list' } as const,
      ] as const,
  );
  try {
    const { values } = parseArgs({ args, options: Object.fromEntries(known), strict: true });
    const missing = Object.entries(command.options).filter(
      ([option, kind]) => kind === 'required' && !values[option],
    );
    if (missing.length > 0)
      throw new UsageError(`--${missing.map(([option]) => option).join(', --')} must be given.`);
    return { command, options: values as Options };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nUse it so: npm run admin -- ${command.usage}`);
  }
}
