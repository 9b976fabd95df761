import { traceIds } from '@quarry/tracing';
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * A structured logger. Bodies are never logged; what could name a person or open a door is cut out by path.
 * @param level pino level, `silent` for none
 */
export function createLogger(app: string, level: string): Logger {
  return pino({
    level,
    base: { app },
    serializers: { err: plainError },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => traceIds() ?? {},
    redact: [
      'authorization',
      '*.authorization',
      'req.headers',
      '*.input',
      '*.result',
      '*.email',
      '*.phone',
      '*.password',
    ],
  });
}

/** What a reader needs. Drivers hang whole connections, buffers and statements on their errors. */
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
