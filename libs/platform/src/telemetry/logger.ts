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
    timestamp: pino.stdTimeFunctions.isoTime,
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
