import { parseArgs } from 'node:util';
import { migratedDatabase, migrateProduct } from '@quarry/composition';
import { borrowLocalDatabase, type LocalDatabase } from '@quarry/installation';
import { loadEnvOrExit } from '@quarry/app';
import { AdminEnv } from './admin.env.js';
import { COMMANDS, UsageError, type Command, type Options } from './commands.js';

/** The only command that changes the schema; the others require a migrated one. */
const MIGRATE = 'migrate';
const MIGRATION = {
  description: 'Migrates the schema, as its owner. All other processes wait for it.',
  usage: 'migrate [-- --wait-seconds S]',
};

// For scripts: one JSON object on standard output, errors on standard error with exit code 1.
try {
  const help = helpFor(process.argv.slice(2));
  if (help !== null) {
    process.stdout.write(help);
    process.exit(0);
  }
  const work = readArguments(process.argv.slice(2));
  const env = loadEnvOrExit(AdminEnv);
  const local = await borrowLocalDatabase({
    databaseUrl: env.DATABASE_URL ?? null,
    dataDir: env.DATA_DIR,
    onProgress: (line) => void process.stderr.write(`${line}\n`),
  });
  try {
    process.stdout.write(`${JSON.stringify(await work(local, env))}\n`);
  } finally {
    await local.close();
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

type Work = (local: LocalDatabase, env: AdminEnv) => Promise<Record<string, unknown>>;

function readArguments([name, ...args]: string[]): Work {
  if (name === MIGRATE) return planMigration(args);
  const { command, options } = readCommand(name, args);
  return async (local, env) => {
    const { workingUrl } = local;
    const prepared = (await command.prepare?.(local.url, options, env.DATA_DIR)) ?? {};
    const database = await migratedDatabase(local.url, 'admin', { workingUrl, queueUrl: env.QUEUE_URL });
    try {
      return await command.run(database, options, prepared);
    } finally {
      await database.close();
    }
  };
}

/** @returns the requested help, in general or for a command; null when no help was requested */
function helpFor([name, ...args]: string[]): string | null {
  if (name === 'help' || name === '--help' || name === '-h')
    return `Administers the database of Quarry, also while it runs. Prints one JSON object.\n\n${listOfCommands()}\n`;
  if (!args.includes('--help') && !args.includes('-h')) return null;
  const command = Object.hasOwn(COMMANDS, name!) ? COMMANDS[name!] : name === MIGRATE ? MIGRATION : undefined;
  return command ? `${command.description}\n\n  ${usageLine(name!, command.usage)}\n` : null;
}

function listOfCommands(): string {
  const all = [...Object.entries(COMMANDS), [MIGRATE, MIGRATION] as const];
  return all
    .map(([name, { description, usage }]) => `  ${usageLine(name, usage)}\n      ${description}`)
    .join('\n');
}

function usageLine(name: string, usage: string): string {
  return name === MIGRATE ? `npm run ${usage}` : `npm run admin -- ${usage}`;
}

function planMigration(args: string[]): Work {
  const options = readOptions(args, { 'wait-seconds': 'optional' }, `${MIGRATE} [--wait-seconds S]`);
  const wait = options['wait-seconds'];
  const seconds = wait === undefined ? undefined : Number(wait);
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 0))
    throw new UsageError('--wait-seconds must be a whole number: how long to retry a locked table.');
  const lockOptions = seconds === undefined ? {} : { lockTimeoutMs: seconds * 1000 };
  return async (local, env) => ({ applied: await migrateProduct(local.url, env.QUEUE_URL, lockOptions) });
}

function readCommand(name: string | undefined, args: string[]): { command: Command; options: Options } {
  const command = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  if (!command) {
    const wrong = name === undefined ? 'No command was given.' : `There is no command ${name}.`;
    throw new UsageError(`${wrong} The commands are:\n\n${listOfCommands()}`);
  }
  return { command, options: readOptions(args, command.options, command.usage) };
}

function readOptions(args: string[], wanted: Command['options'], usage: string): Options {
  const known = Object.entries(wanted).map(
    ([option, kind]) =>
      [
        option,
        { type: kind === 'switch' ? 'boolean' : 'string', multiple: kind === 'list' } as const,
      ] as const,
  );
  try {
    const { values } = parseArgs({ args, options: Object.fromEntries(known), strict: true });
    const missing = Object.entries(wanted).filter(([option, kind]) => kind === 'required' && !values[option]);
    if (missing.length > 0)
      throw new UsageError(`--${missing.map(([option]) => option).join(', --')} is required.`);
    return values as Options;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nUsage: npm run admin -- ${usage}`);
  }
}
