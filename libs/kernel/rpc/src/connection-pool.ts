import { withDeadline } from '@quarry/resilience';
import { CallingConnection, ConnectionLost } from './calling-connection.js';
import type { Peer, PeerList } from './peer-list.js';
import type { RpcSecurity } from './rpc-security.js';

export interface ConnectionPoolOptions {
  peers: PeerList;
  area: string;
  security: RpcSecurity;
  /** Minimum number of connections. With more peers there are more, at least one for each. */
  size: number;
  /** Age in milliseconds at which a connection is replaced. */
  ageMs: number;
  /** Milliseconds between two rounds of balancing. */
  balanceMs: number;
}

/** Milliseconds that a peer is avoided after a failure, as long as there is another one. */
const AVOID_MS = 2_000;
/** The most connections. Further peers get one when another connection ages. */
const CONNECTIONS_MAX = 64;

interface Slot {
  readonly connection: CallingConnection;
  readonly peer: Peer;
}

/**
 * Connections to all peers of an upstream, used in turn and balanced evenly. A new peer gets its share within `balanceMs`, a
 * failed one is avoided for a while, and one that the resolver no longer returns is dropped.
 */
export class ConnectionPool {
  private slots: Array<Slot | null>;
  /** Number of open calls by connection; a connection that is out of use closes after its last call. */
  private readonly inFlight = new Map<CallingConnection, number>();
  /** Monotonic time of the last failure of a peer, by its address. */
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
    // A failed lookup is repeated at the next call.
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

  /** @returns the next connection in turn; one that is still opening only when no other is open */
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
        // Connections that the pool has dropped close too: only if it is still in the pool, its peer has failed.
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

  /**
   * @returns the peer with the fewest connections among those that have not failed recently; otherwise the one that failed first
   */
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
   * Balances the connections: removes those to peers that are gone, and moves one per round from the peer with the most to the
   * one with the fewest. A dropped connection finishes its calls first.
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
    // An empty slot will be filled by the peer with the fewest connections, so nothing needs to be moved.
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

  /** Moves on to the next connection once per turn of the event loop: calls made in one turn leave as one frame. */
  private nextSlot(): void {
    if (this.isTurned) return;
    this.isTurned = true;
    setImmediate(() => (this.isTurned = false));
    this.next = (this.next + 1) % this.slots.length;
  }

  /** Takes a connection out of use; its open calls may finish. */
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

/** The deadline of the caller has passed. */
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
