import { withDeadline } from '@quarry/resilience';
import { CallingConnection, ConnectionLost } from './calling-connection.js';
import type { Peer, PeerList } from './peer-list.js';
import type { RpcSecurity } from './rpc-security.js';

export interface ConnectionPoolOptions {
  peers: PeerList;
  area: string;
  security: RpcSecurity;
  /** Fewest connections. There are more when there are more peers, and as many for each of them. */
  size: number;
  /** Connections are replaced at this age. */
  ageMs: number;
  /** Milliseconds until the connections are shared out anew. */
  balanceMs: number;
}

/** A peer that has just failed is asked again when no other is left, or after this time. */
const AVOID_MS = 2_000;
/** Peers beyond these get a connection when another one ages. */
const CONNECTIONS_MAX = 64;

interface Slot {
  readonly connection: CallingConnection;
  readonly peer: Peer;
}

/**
 * Connections to all who answer the calls of an upstream, used in turn. Each peer has as many as every other: one that
 * joins gets its share within `balanceMs`, one that fails is avoided for a while, one that is no longer named is left.
 */
export class ConnectionPool {
  private slots: Array<Slot | null>;
  /** Calls on each connection; one that is out of use closes with its last. */
  private readonly inFlight = new Map<CallingConnection, number>();
  /** Time at which a peer broke or refused a connection, by its address. */
  private readonly failedAt = new Map<string, number>();
  private next = 0;
  private isTurned = false;
  private balancedAt = -Infinity;

  constructor(private readonly options: ConnectionPoolOptions) {
    this.slots = new Array<Slot | null>(options.size).fill(null);
  }

  /** @throws RpcTimeout, ConnectionLost */
  async use<T>(timeoutMs: number, work: (connection: CallingConnection) => Promise<T>): Promise<T> {
    const { peers } = this.options;
    const late = (): Error => new RpcTimeout(`No answer within ${timeoutMs} ms.`);
    const refreshed = peers.refresh();
    if (peers.peers.length === 0) await withDeadline(refreshed.catch(throwUnsent), { ms: timeoutMs, late });
    // Names that cannot be asked about now are asked about at the next call.
    else refreshed.catch(() => undefined);
    const connection = this.takeConnection();
    this.inFlight.set(connection, (this.inFlight.get(connection) ?? 0) + 1);
    try {
      return await withDeadline(
        connection.ready.then(() => work(connection)),
        { ms: timeoutMs, late },
      );
    } finally {
      this.inFlight.set(connection, this.inFlight.get(connection)! - 1);
      this.closeWhenLeft(connection);
    }
  }

  close(): void {
    for (const slot of this.slots) slot?.connection.close();
    this.slots.fill(null);
  }

  /** @returns the connection whose turn it is; one that is still being opened only when no other is open */
  private takeConnection(): CallingConnection {
    this.balanceSlots();
    this.nextSlot();
    const current = this.slotAt(this.next).connection;
    if (current.isReady) return current;
    const ready = this.slots.find((slot) => slot?.connection.isReady);
    return ready?.connection ?? current;
  }

  private slotAt(index: number): Slot {
    const current = this.slots[index];
    if (current && performance.now() - current.connection.openedAt < this.options.ageMs) return current;
    if (current) this.dropConnection(current.connection);
    return (this.slots[index] = this.openSlot(this.leastUsed()));
  }

  private openSlot(peer: Peer): Slot {
    const { area, security } = this.options;
    const connection: CallingConnection = new CallingConnection({
      host: peer.host,
      port: peer.port,
      name: peer.name,
      area,
      security,
      onLeft: () => {
        // A connection that the pool itself has dropped also closes; only one that is still in the pool shows that
        // its peer failed.
        if (this.hasConnection(connection)) this.failedAt.set(addressOf(peer), performance.now());
        this.dropConnection(connection);
      },
    });
    connection.ready.then(
      () => this.failedAt.delete(addressOf(peer)),
      () => undefined,
    );
    return { connection, peer };
  }

  /** @returns the peer with the fewest connections, of those that have not just failed; else the one that failed first */
  private leastUsed(): Peer {
    const { peers } = this.options.peers;
    const used = this.countByPeer();
    const failedAt = (peer: Peer): number => {
      const at = this.failedAt.get(addressOf(peer)) ?? -Infinity;
      return performance.now() - at < AVOID_MS ? at : -Infinity;
    };
    const rank = (peer: Peer): [number, number] => [failedAt(peer), used.get(addressOf(peer)) ?? 0];
    return peers.reduce((best, peer) => (isLess(rank(peer), rank(best)) ? peer : best));
  }

  private countByPeer(): Map<string, number> {
    const used = new Map<string, number>();
    for (const slot of this.slots)
      if (slot) used.set(addressOf(slot.peer), (used.get(addressOf(slot.peer)) ?? 0) + 1);
    return used;
  }

  /**
   * Fits the connections to the peers: as many places for each, none to one that is no longer named, and one more in each
   * round for who has too few, at the price of who has most. A dropped connection ends its calls first.
   */
  private balanceSlots(): void {
    const now = performance.now();
    if (now - this.balancedAt < this.options.balanceMs) return;
    this.balancedAt = now;
    const { peers } = this.options.peers;
    const named = new Set(peers.map(addressOf));
    for (const slot of [...this.slots])
      if (slot && !named.has(addressOf(slot.peer))) this.dropConnection(slot.connection);
    for (const address of this.failedAt.keys()) if (!named.has(address)) this.failedAt.delete(address);
    this.resizeSlots(peers.length);
    // While a slot is empty, the next connection fills it with the peer that has fewest, so that nothing has to be
    // moved.
    if (this.slots.includes(null)) return;
    const used = this.countByPeer();
    for (const peer of peers) {
      const [most, n] = [...used].reduce((a, b) => (b[1] > a[1] ? b : a));
      if (n - (used.get(addressOf(peer)) ?? 0) < 2) continue;
      this.dropConnection(this.slots.find((slot) => slot && addressOf(slot.peer) === most)!.connection);
      used.set(most, n - 1);
    }
  }

  private resizeSlots(peers: number): void {
    const each = Math.ceil(this.options.size / Math.max(1, peers));
    const wanted = Math.max(this.options.size, Math.min(CONNECTIONS_MAX, each * peers));
    for (const slot of this.slots.slice(wanted)) if (slot) this.dropConnection(slot.connection);
    this.slots = Array.from({ length: wanted }, (_, i) => this.slots[i] ?? null);
  }

  /** Goes on to the next connection, once per turn of the event loop: calls made in one turn leave as one frame. */
  private nextSlot(): void {
    if (this.isTurned) return;
    this.isTurned = true;
    setImmediate(() => (this.isTurned = false));
    this.next = (this.next + 1) % this.slots.length;
  }

  /** Takes a connection out of use; calls on it may end. */
  private dropConnection(connection: CallingConnection): void {
    const index = this.slots.findIndex((slot) => slot?.connection === connection);
    if (index >= 0) this.slots[index] = null;
    this.closeWhenLeft(connection);
  }

  private hasConnection(connection: CallingConnection): boolean {
    return this.slots.some((slot) => slot?.connection === connection);
  }

  private closeWhenLeft(connection: CallingConnection): void {
    if (this.hasConnection(connection)) return;
    if ((this.inFlight.get(connection) ?? 0) > 0) return;
    this.inFlight.delete(connection);
    connection.close();
  }
}

/** No answer within the time that the caller has. */
class RpcTimeout extends Error {
  override readonly name = 'RpcTimeout';
}

function throwUnsent(cause: unknown): never {
  throw new ConnectionLost(false, cause);
}

function addressOf({ host, port }: Peer): string {
  return `${host} ${port}`;
}

function isLess([a, b]: [number, number], [c, d]: [number, number]): boolean {
  return a === c ? b < d : a < c;
}
