import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below those that Linux (32768) and others (49152) give to outgoing connections and to whoever listens on any port:
// such a one had taken the port that a process was about to listen on.
const FIRST = 20_000;
const LAST = 32_000;

/** @returns a port of 127.0.0.1 that nobody listens on now, and that was not given out before */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** @returns different ports, each as of {@link freePort} @throws Error when there are not as many */
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

/** Given out before, and perhaps not listened on yet; or taken when they were tried. */
const tried = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
