import { traceIds } from '@quarry/tracing';
import { pino, type DestinationStream, type Logger, type LogFn } from 'pino';
import { isAway, RepeatedFaults } from './repeated-faults.js';

export type { Logger } from 'pino';

/** Token of the process's {@link Logger}, which is no class. */
export const LOGGER = Symbol('quarry:logger');

/** Fields that could name a person or open a door, or hold what customers send and get; by name, at any depth. */
const CUT_OUT = new Set([
  'authorization',
  'cookie',
  'headers',
  'password',
  'secret',
  'apikey',
  'api_key',
  'input',
  'inputs',
  'prompt',
  'result',
  'email',
  'phone',
]);
const CENSOR = '[Redacted]';
/** Nothing that is logged is deeper. */
const DEPTH_MAX = 8;

/**
 * A structured logger. Bodies are never logged; what could name a person or open a door is cut out wherever it stands. Lines
 * within a trace have its id, and that of the span. Messages that repeat while a server is away are logged once a minute.
 * @param level pino level, `silent` for none
 * @param stream where lines go; standard output when left out
 */
export function createLogger(app: string, level: string, stream?: DestinationStream): Logger {
  const repeated = new RepeatedFaults();
  return pino(
    {
      level,
      base: { app },
      serializers: { err: plainError },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => traceIds() ?? {},
      hooks: {
        logMethod(args, method) {
          sayOnce(repeated, args, method, this);
        },
      },
      formatters: { log: (fields) => withoutSecrets(fields, 0) as Record<string, unknown> },
    },
    stream ?? pino.destination(1),
  );
}

function sayOnce(repeated: RepeatedFaults, args: Parameters<LogFn>, method: LogFn, logger: Logger): void {
  const [fields, sentence] = args as unknown as [Record<string, unknown> | string, string?];
  if (typeof fields !== 'object' || fields === null || !isAway(fields.err)) return method.apply(logger, args);
  const { runId, jobId, queue } = fields;
  // A line about a run or a job is never left out: no other line says which of them was affected.
  if (runId !== undefined || jobId !== undefined) return method.apply(logger, args);
  const { isDue, unsaid } = repeated.admitMessage(`${sentence ?? ''} ${String(queue ?? '')}`);
  if (!isDue) return;
  const more = unsaid > 0 ? { ...fields, leftOut: unsaid } : fields;
  method.apply(logger, [more, sentence] as unknown as Parameters<LogFn>);
}

/** Errors are left to their serializer, and what is no plain object to JSON. */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (Array.isArray(value))
    return depth === DEPTH_MAX ? CENSOR : value.map((each) => withoutSecrets(each, depth + 1));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  if (depth === DEPTH_MAX) return CENSOR;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      CUT_OUT.has(name.toLowerCase()) ? CENSOR : withoutSecrets(each, depth + 1),
    ]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the part of an error that a reader needs. Drivers hang whole connections, buffers and statements on theirs. */
function plainError(error: Error & { code?: unknown }): Record<string, unknown> {
  const { name, message, stack, code, cause } = error;
  return {
    type: name,
    message,
    ...(code === undefined ? {} : { code }),
    stack,
    ...(cause instanceof Error ? { cause: plainError(cause) } : {}),
  };
}
