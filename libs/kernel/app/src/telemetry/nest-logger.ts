import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Nest logs what stops a start, and then throws it: whoever starts the process reports it in words of our own. */
const ALSO_THROWN: readonly unknown[] = ['ExceptionHandler', 'NestApplication', 'NestMicroservice'];

/** Writes Nest's messages to the log of the process. Its progress at a start is of interest to a developer only. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ context: details.at(-1) }, String(message));
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn({ context: details.at(-1) }, String(message));
  }

  /** Among others told of every shutdown hook that failed; the hooks after it still run. */
  error(message: unknown, ...details: unknown[]): void {
    if (ALSO_THROWN.includes(details.at(-1))) return;
    if (message instanceof Error) this.logger.error({ err: message }, 'Nest reports an error');
    else this.logger.error({ details }, String(message));
  }
}
