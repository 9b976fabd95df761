import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ephemeral ports of Linux (32768) and others (49152), which the system assigns to outgoing connections and to
// servers without a fixed port: such a socket once took the port on which a process was about to listen.
const FIRST = 20_000;
const LAST = 32_000;

/** @returns a port of 127.0.0.1 that is free now and was not returned before */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** @returns different ports, each like {@link freePort} @throws Error if there are not enough */
export async function freePorts(n: number): Promise<number[]> {
  const found: number[] = [];
  const start = randomInt(FIRST, LAST);
  for (let i = 0; i < LAST - FIRST && found.length < n; i += 1) {
    const port = FIRST + ((start - FIRST + i) % (LAST - FIRST));
    if (tried.has(port)) continue;
    tried.add(port);
    if (await isFree(port)) found.push(port);
  }
  if (found.length < n) throw new Error(`No ${n} ports between ${FIRST} and ${LAST} are free.`);
  return found;
}

/** Ports that were returned before and may not be in use yet, or that were in use when they were tried. */
const tried = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
