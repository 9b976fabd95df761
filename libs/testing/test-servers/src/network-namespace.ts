import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Names of the links of a namespace. */
export type NetworkLink = 'first' | 'second';

const NUMBERS: Readonly<Record<NetworkLink, number>> = { first: 0, second: 1 };
/** Number of pairs of subnets of four addresses in 10.213.0.0/16; one pair per process. Source: RFC 1918; 10.213 is arbitrary. */
const PAIRS_OF_SUBNETS = 8192;

/**
 * A Linux network namespace that reaches this machine over two links. Each can be cut like a pulled cable: packets are
 * lost, and neither side is notified. Needs root and `ip`.
 */
export class NetworkNamespace {
  private static made = 0;

  private constructor(readonly name: string) {}

  /** @throws Error with the message of `ip` if the machine does not allow it */
  static open(): NetworkNamespace {
    cleanUpNamespaces();
    const space = new NetworkNamespace(`quarry-${process.pid}-${(NetworkNamespace.made += 1)}`);
    ip('netns', 'add', space.name);
    try {
      inside(space.name, 'link', 'set', 'lo', 'up');
      for (const link of ['first', 'second'] as const) space.connect(link);
      return space;
    } catch (error) {
      space.close();
      throw error;
    }
  }

  /** @returns this machine's address on a link, as seen from the namespace */
  addressOf(link: NetworkLink): string {
    return addressIn(link, 1);
  }

  /** Cuts a link at this machine's end. */
  cut(link: NetworkLink): void {
    ip('link', 'set', outerName(link), 'down');
  }

  heal(link: NetworkLink): void {
    ip('link', 'set', outerName(link), 'up');
  }

  /** Deletes the namespace with its links. */
  close(): void {
    for (const link of ['first', 'second'] as const) {
      try {
        ip('link', 'del', outerName(link));
      } catch {
        // It was never created.
      }
    }
    ip('netns', 'del', this.name);
  }

  private connect(link: NetworkLink): void {
    const [outer, inner] = [outerName(link), `qi${NUMBERS[link]}`];
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', this.name);
    ip('addr', 'add', `${this.addressOf(link)}/30`, 'dev', outer);
    ip('link', 'set', outer, 'up');
    inside(this.name, 'addr', 'add', `${addressIn(link, 2)}/30`, 'dev', inner);
    inside(this.name, 'link', 'set', inner, 'up');
  }
}

function outerName(link: NetworkLink): string {
  return `qo${NUMBERS[link]}-${process.pid}`;
}

/** @param end 1 is this machine's end of the link, 2 the namespace's */
function addressIn(link: NetworkLink, end: 1 | 2): string {
  const first = ((process.pid % PAIRS_OF_SUBNETS) * 2 + NUMBERS[link]) * 4;
  return `10.213.${first >> 8}.${(first & 255) + end}`;
}

function inside(namespace: string, ...args: string[]): void {
  ip('-n', namespace, ...args);
}

/** Removes namespaces of killed processes, which would keep their addresses. A link disappears with its other end. */
function cleanUpNamespaces(): void {
  for (const [name, pid] of ip('netns', 'list').matchAll(/^quarry-(\d+)-\d+/gm))
    if (!existsSync(`/proc/${pid}`)) ip('netns', 'del', name);
}

function ip(...args: string[]): string {
  return execFileSync('ip', args, { stdio: 'pipe', encoding: 'utf8' });
}
