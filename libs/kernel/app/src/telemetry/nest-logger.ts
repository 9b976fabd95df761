import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Contexts in which Nest logs an error and then throws it: the code that starts the process reports it itself. */
const ALSO_THROWN: readonly unknown[] = ['ExceptionHandler', 'NestApplication', 'NestMicroservice'];

/** Writes Nest's messages to the log of the process. Its progress messages at the start are only useful to developers. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ context: details.at(-1) }, String(message));
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn({ context: details.at(-1) }, String(message));
  }

  /** Receives, among other errors, those of failed shutdown hooks; the remaining hooks still run. */
  error(message: unknown, ...details: unknown[]): void {
    if (ALSO_THROWN.includes(details.at(-1))) return;
    if (message instanceof Error) this.logger.error({ err: message }, 'Nest reports an error');
    else this.logger.error({ details }, String(message));
  }
}
