import type { Logger } from '../telemetry/logger.js';
import type { Lifecycle } from './lifecycle.js';

/** Milliseconds that a part opened before the failure has for its end. */
const CLOSE_MS = 10_000;

/** Why a server cannot listen. Source: listen(2), bind(2) and getaddrinfo(3). */
const LISTEN_FAULTS: Readonly<Record<string, (at: string) => string>> = {
  EADDRINUSE: (at) => `${at} is taken by another process: stop it, or choose another port`,
  EACCES: (at) => `${at} may not be opened by this user: choose a port above 1023`,
  EADDRNOTAVAIL: (at) => `${at} is no address of this machine`,
};

/**
 * Starts a process that logs. A start that fails is one fatal line that says why, and the end of the process with code 1; one
 * that a stop overtakes is left to that stop.
 * @param start opens the parts of the process
 */
export async function startOrExit<T>(
  { life, logger }: { life: Lifecycle; logger: Logger },
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    // Whoever asked for the stop ends the process when everything is closed.
    if (life.isClosing) return new Promise<never>(() => undefined);
    logger.fatal({ err: error }, `the start failed: ${startFault(error)}`);
    // A consumer of a queue may have begun to work before the port was found taken.
    await life.forceClose(CLOSE_MS);
    process.exit(1);
  }
}

/** @returns why a start failed, for who has to mend it */
export function startFault(error: unknown): string {
  const { code = '', address, port, message } = error as NodeJS.ErrnoException & AddressInUse;
  const explanation = Object.hasOwn(LISTEN_FAULTS, code) ? LISTEN_FAULTS[code] : undefined;
  return explanation && port !== undefined ? explanation(`${address ?? ''}:${port}`) : message;
}

interface AddressInUse {
  address?: string;
  port?: number;
}
