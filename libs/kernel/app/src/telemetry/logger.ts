import { traceIds } from '@quarry/tracing';
import { pino, type DestinationStream, type Logger, type LogFn } from 'pino';
import { isAway, RepeatedFaults } from './repeated-faults.js';

export type { Logger } from 'pino';

/** Injection token of the process's {@link Logger}, which is not a class. */
export const LOGGER = Symbol('quarry:logger');

/** Names of fields that could identify a person, contain a credential, or hold customer data; redacted at any depth. */
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
/** Maximum depth of logged objects. */
const DEPTH_MAX = 8;

/**
 * Creates a structured logger. Bodies are never logged; fields that could identify a person or contain a credential are
 * removed at any depth. Lines within a trace have its trace and span ids. Messages that repeat while a server is
 * unavailable are logged once a minute.
 * @param level pino level, `silent` for none
 * @param stream destination of the lines; standard output by default
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
  // A line about a run or a job is never dropped: no other line names the affected run or job.
  if (runId !== undefined || jobId !== undefined) return method.apply(logger, args);
  const { isDue, unsaid } = repeated.admitMessage(`${sentence ?? ''} ${String(queue ?? '')}`);
  if (!isDue) return;
  const more = unsaid > 0 ? { ...fields, leftOut: unsaid } : fields;
  method.apply(logger, [more, sentence] as unknown as Parameters<LogFn>);
}

/** Removes secrets. Errors are left to their serializer, and everything but plain objects to JSON. */
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

/** Returns the useful part of an error. Drivers attach whole connections, buffers and statements to theirs. */
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
