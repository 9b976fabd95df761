import { existsSync, readFileSync } from 'node:fs';
import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min, ValidateBy, validateSync } from 'class-validator';

/** Titles of the groups of variables, in the order of the documentation. */
const ENV_GROUPS = {
  addresses: 'Addresses and data',
  storage: 'Database and queues',
  secrets: 'Secrets',
  providers: 'Providers of data',
  vendorKeys: 'Keys of vendors',
  model: 'Language model',
  network: 'Pages, names and mail servers of others',
  calls: 'Calls between processes',
  limits: 'Sizes, limits and stops',
  retention: 'How long things are kept',
  observability: 'Logs, metrics and traces',
} as const;

/** Documentation of a variable in `.env.example` and in start-up errors. */
export interface EnvVarDoc {
  /** Group under which `.env.example` and docs/environment.md list it. */
  group: keyof typeof ENV_GROUPS;
  description: string;
  secret?: boolean;
}

const DOCS = Symbol('quarry:env-docs');

/** Variable names of release 0.1, by their current name. They are still read until release 0.3. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  BATCH_RETENTION_DAYS: 'ENDED_LIST_DAYS',
  ENCRYPTION_KEYS: 'SECRETS_KEY',
  GO_SYNC_WAIT_SECONDS: 'GO_HELD_SECONDS',
  SHUTDOWN_DELAY_MS: 'LEAVE_MS',
};
const warned = new Set<string>();

/** Documents an environment variable. Every field of an environment class must have it. */
export function EnvVar(doc: EnvVarDoc): PropertyDecorator {
  return (target, key) => {
    const own =
      (Reflect.getOwnMetadata(DOCS, target) as Map<string, EnvVarDoc> | undefined) ??
      new Map<string, EnvVarDoc>();
    own.set(String(key), doc);
    Reflect.defineMetadata(DOCS, own, target);
  };
}

/** Titles of the groups, by name. */
EnvVar.groups = ENV_GROUPS;

/**
 * @returns the documented variables of a class, those of its parents first. The default is the initial value of the field, as it
 *   is written in an environment
 */
export function envVarsOf(type: new () => object): Map<string, EnvVarDoc & { default?: string }> {
  const chain: object[] = [];
  for (
    let at: object = type.prototype as object;
    at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  )
    chain.unshift(at);
  const docs = chain.flatMap((proto) => [
    ...((Reflect.getOwnMetadata(DOCS, proto) as Map<string, EnvVarDoc> | undefined) ?? []),
  ]);
  const initial = new type() as Readonly<Record<string, unknown>>;
  return new Map(docs.map(([name, doc]) => [name, { ...doc, ...defaultOf(initial[name]) }]));
}

/** @returns the default as text; none for a list, whose description says what an empty one means */
function defaultOf(value: unknown): { default?: string } {
  if (value === undefined || Array.isArray(value)) return {};
  return { default: typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value) };
}

/** Thrown if the environment is invalid. Its message lists all faults. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
  constructor(readonly faults: string[]) {
    super(`The environment variables are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads and validates the environment of one app. A secret can also be in a file, as is usual for containers:
 * `DATABASE_URL_FILE` names the file whose trimmed text is the value of `DATABASE_URL`.
 * @param type class whose fields are variables, each with {@link EnvVar} and class-validator decorators
 * @param source variables; spaces around a value are dropped, and an empty one counts as not set
 * @throws EnvError listing every invalid variable
 */
export function loadEnv<T extends object>(
  type: new () => T,
  source: Record<string, string | undefined> = process.env,
): T {
  const plain: Record<string, string> = {};
  const unread: string[] = [];
  for (const [name, { secret = false }] of envVarsOf(type)) {
    const value = readVariable(source, name, secret, unread);
    if (value !== undefined) plain[name] = value;
  }
  if (unread.length > 0) throw new EnvError(unread);
  const env = plainToInstance(type, plain, { exposeDefaultValues: true });
  // In order of declaration, including inherited fields.
  const order = [...envVarsOf(type).keys()];
  const faults = validateSync(env, { forbidUnknownValues: false })
    .sort((a, b) => order.indexOf(a.property) - order.indexOf(b.property))
    .map(
      (fault) =>
        `${fault.property}: ${Object.values(fault.constraints ?? {}).join('; ')}${describeValue(type, fault.property, plain)}`,
    );
  if (faults.length > 0) throw new EnvError(faults);
  return env;
}

/**
 * Reads a secret from a variable that an operator names, for example in a settings file, or from its `_FILE`.
 * @returns undefined if it is not set or empty
 * @throws EnvError if the file cannot be read
 */
export function namedVariable(name: string): string | undefined {
  const unread: string[] = [];
  const value = readVariable(process.env, name, true, unread);
  if (unread.length > 0) throw new EnvError(unread);
  return value;
}

/**
 * @returns the value of the variable, of its `_FILE`, or of its former name, with a deprecation warning; undefined if it
 *   is not set
 */
function readVariable(
  source: Record<string, string | undefined>,
  name: string,
  isSecret: boolean,
  unread: string[],
): string | undefined {
  const file = isSecret ? source[`${name}_FILE`] : undefined;
  const value = source[name]?.trim() || (file ? textOf(file, name, unread) : undefined);
  const former = FORMER_NAMES[name];
  if (value || former === undefined) return value || undefined;
  const formerValue = readVariable(source, former, isSecret, unread);
  if (formerValue !== undefined && !warned.has(former)) {
    warned.add(former);
    process.emitWarning(`${former} was renamed to ${name}; the old name works until release 0.3.`, {
      type: 'DeprecationWarning',
      code: `QUARRY_${former}`,
    });
  }
  return formerValue;
}

function textOf(file: string, name: string, unread: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    unread.push(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code}, it is "${file}")`);
    return undefined;
  }
}

/** Loads the environment like {@link loadEnv}, at the start of a process: faults go to standard error and end it with code 1. */
export function loadEnvOrExit<T extends object>(type: new () => T): T {
  try {
    return loadEnv(type);
  } catch (error) {
    return exitWith(error);
  }
}

/** Reads something that the environment refers to, such as a file. An EnvError ends the process with code 1. */
export async function orExit<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    return exitWith(error);
  }
}

function exitWith(error: unknown): never {
  if (!(error instanceof EnvError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/**
 * @param own variables of the child, which override those of this process
 * @returns the environment of a child process
 */
export function childEnvironment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...own };
}

function describeValue(type: new () => object, name: string, plain: Record<string, string>): string {
  if (plain[name] === undefined) return ' (it is not set)';
  return envVarsOf(type).get(name)?.secret ? '' : ` (it is "${plain[name].slice(0, 80)}")`;
}

/** Validates a whole number within bounds. */
export function IsWholeNumber(min: number, max?: number): PropertyDecorator {
  return decoratedBy(...(max === undefined ? [] : [Max(max)]), Min(min), IsInt(), Transform(toNumber));
}

/** Validates a path that exists, or one of the words that are allowed instead. */
export function IsExistingPath(...words: string[]): PropertyDecorator {
  return ValidateBy({
    name: 'isExistingPath',
    validator: {
      validate: (path) => typeof path === 'string' && (words.includes(path) || existsSync(path)),
      defaultMessage: () => ['$property must be a path that exists', ...words].join(', or '),
    },
  });
}

/** Validates a switch: `on`, `true` or `1`, or `off`, `false` or `0`. */
export function IsSwitch(): PropertyDecorator {
  return decoratedBy(IsBoolean({ message: '$property must be on or off' }), Transform(toSwitch));
}

function decoratedBy(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };
}

/** Converts digits to a number, as a class-transformer step. Other text is unchanged, so that the validator reports it. */
export function toNumber({ value }: { value: unknown }): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Converts `on|true|1` and `off|false|0` to a boolean, as a class-transformer step. */
function toSwitch({ value }: { value: unknown }): unknown {
  if (typeof value !== 'string') return value;
  if (/^(on|true|1)$/i.test(value)) return true;
  return /^(off|false|0)$/i.test(value) ? false : value;
}

/** Splits a comma-separated list and drops empty entries, as a class-transformer step. */
export function toList({ value }: { value: unknown }): unknown {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    : value;
}
