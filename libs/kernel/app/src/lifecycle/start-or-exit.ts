import type { Logger } from '../telemetry/logger.js';
import type { Lifecycle } from './lifecycle.js';

/** Time for closing the parts that were opened before the failure, in milliseconds. */
const CLOSE_MS = 10_000;

/** Reasons why a server cannot listen. Source: listen(2) and bind(2). */
const LISTEN_FAULTS: Readonly<Record<string, (at: string) => string>> = {
  EADDRINUSE: (at) => `${at} is used by another process: stop it, or choose another port`,
  EACCES: (at) => `${at} cannot be opened by this user: choose a port above 1023`,
  EADDRNOTAVAIL: (at) => `${at} is not an address of this machine`,
};

/**
 * Starts a process that logs. A failed start logs one fatal line with the reason and exits with code 1; if a shutdown
 * has started meanwhile, that shutdown ends the process.
 * @param start opens the parts of the process
 */
export async function startOrExit<T>(
  { life, logger }: { life: Lifecycle; logger: Logger },
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    // The shutdown ends the process when everything is closed.
    if (life.isClosing) return new Promise<never>(() => undefined);
    logger.fatal({ err: error }, `the start failed: ${startFault(error)}`);
    // A queue consumer may have started before the port turned out to be in use.
    await life.forceClose(CLOSE_MS);
    process.exit(1);
  }
}

/** @returns the reason for a failed start, for the operator */
export function startFault(error: unknown): string {
  const {
    code = '',
    syscall,
    hostname,
    address,
    port,
    message,
  } = error as NodeJS.ErrnoException & UsedAddress;
  if (syscall === 'getaddrinfo')
    return `the host name "${hostname}" is unknown: check the variable that contains it`;
  const explanation = Object.hasOwn(LISTEN_FAULTS, code) ? LISTEN_FAULTS[code] : undefined;
  return explanation && port !== undefined ? explanation(`${address ?? ''}:${port}`) : message;
}

interface UsedAddress {
  hostname?: string;
  address?: string;
  port?: number;
}
