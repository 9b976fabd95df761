import { readFileSync } from 'node:fs';
import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min, validateSync } from 'class-validator';

/** Titles of the groups of variables, in the order in which a reader meets them. */
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
  /** Shown as the default; the class field's initialiser is what really applies. */
  default?: string;
  secret?: boolean;
}

const DOCS = Symbol('quarry:env-docs');

/** Names of release 0.1, by the name that has replaced each. They are read until release 0.3. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  BATCH_RETENTION_DAYS: 'ENDED_LIST_DAYS',
  ENCRYPTION_KEYS: 'SECRETS_KEY',
  GO_SYNC_WAIT_SECONDS: 'GO_HELD_SECONDS',
  SHUTDOWN_DELAY_MS: 'LEAVE_MS',
};
const warned = new Set<string>();

/** Documents an environment variable; every field of an environment class must carry it. */
export function EnvVar(doc: EnvVarDoc): PropertyDecorator {
  return (target, key) => {
    const own =
      (Reflect.getOwnMetadata(DOCS, target) as Map<string, EnvVarDoc> | undefined) ??
      new Map<string, EnvVarDoc>();
    own.set(String(key), doc);
    Reflect.defineMetadata(DOCS, own, target);
  };
}

/** Titles of the groups, by their names. */
EnvVar.groups = ENV_GROUPS;

/** @returns the documented variables of a class, those of its parents first. */
export function envVarsOf(type: new () => object): Map<string, EnvVarDoc> {
  const chain: object[] = [];
  for (
    let at: object = type.prototype as object;
    at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  )
    chain.unshift(at);
  return new Map(
    chain.flatMap((proto) => [
      ...((Reflect.getOwnMetadata(DOCS, proto) as Map<string, EnvVarDoc> | undefined) ?? []),
    ]),
  );
}

/** Thrown when the environment is wrong; its message names every fault at once. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
  constructor(readonly faults: string[]) {
    super(`The environment is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads and validates the environment of one app. A secret may also be in a file, as containers are given them:
 * `DATABASE_URL_FILE` names the file whose text, less white space around it, is `DATABASE_URL`.
 * @param type class whose fields are variables, each with {@link EnvVar} and class-validator decorators
 * @param source variables; empty strings count as not set
 * @throws EnvError naming every faulty variable
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
  // In the order of their declaration, whichever class of the chain declares them.
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
 * Reads a secret whose name an operator has chosen, such as that of a key in a file of settings; it may be in a file, too.
 * @returns undefined when it is not set; an empty one counts as not set
 * @throws EnvError for a file that cannot be read
 */
export function namedVariable(name: string): string | undefined {
  const unread: string[] = [];
  const value = readVariable(process.env, name, true, unread);
  if (unread.length > 0) throw new EnvError(unread);
  return value;
}

/** @returns the value by its name, from its file, or by its former name, which is warned of; undefined when it is not set */
function readVariable(
  source: Record<string, string | undefined>,
  name: string,
  isSecret: boolean,
  unread: string[],
): string | undefined {
  const file = isSecret ? source[`${name}_FILE`] : undefined;
  const value = source[name] || (file ? textOf(file, name, unread) : undefined);
  const former = FORMER_NAMES[name];
  if (value || former === undefined) return value || undefined;
  const formerValue = readVariable(source, former, isSecret, unread);
  if (formerValue !== undefined && !warned.has(former)) {
    warned.add(former);
    process.emitWarning(`${former} is now called ${name}; the old name is read until release 0.3.`, {
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

/** As {@link loadEnv}, for the first line of a process: faults go to standard error and end it with code 1. */
export function loadEnvOrExit<T extends object>(type: new () => T): T {
  return orExit(() => loadEnv(type));
}

/** Reads what an environment only names, such as files: faults end the process as those of the environment do. */
export function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * @param own variables of the child, in front of those of this process
 * @returns the environment of a process that this one starts
 */
export function childEnvironment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...own };
}

function describeValue(type: new () => object, name: string, plain: Record<string, string>): string {
  if (plain[name] === undefined) return ' (it is not set)';
  return envVarsOf(type).get(name)?.secret ? '' : ` (it is "${plain[name].slice(0, 80)}")`;
}

/** The variable is a whole number within bounds. */
export function IsWholeNumber(min: number, max?: number): PropertyDecorator {
  return decoratedBy(...(max === undefined ? [] : [Max(max)]), Min(min), IsInt(), Transform(toNumber));
}

/** The variable is `on`, `true` or `1`, or `off`, `false` or `0`. */
export function IsSwitch(): PropertyDecorator {
  return decoratedBy(IsBoolean({ message: '$property must be on or off' }), Transform(toSwitch));
}

function decoratedBy(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };
}

/** class-transformer step: digits to a number; anything else stays text so that the validator names it. */
export function toNumber({ value }: { value: unknown }): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** class-transformer step: `on|true|1` and `off|false|0` to a boolean. */
function toSwitch({ value }: { value: unknown }): unknown {
  if (typeof value !== 'string') return value;
  if (/^(on|true|1)$/i.test(value)) return true;
  return /^(off|false|0)$/i.test(value) ? false : value;
}

/** class-transformer step: a comma-separated list, blanks dropped. */
export function toList({ value }: { value: unknown }): unknown {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    : value;
}
