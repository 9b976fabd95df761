import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Backend {
  host: string;
  port: number;
}

/**
 * A TCP load balancer: each connection is forwarded unchanged to the next backend, in turn, that accepts it. It has no
 * health checks: the test maintains the list.
 */
export class TcpBalancer {
  private readonly sockets = new Set<Socket>();
  private next = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private backends: readonly Backend[],
  ) {
    server.on('connection', (client: Socket) => this.take(client));
  }

  /** @param at listening address; a free port on loopback by default */
  static async before(
    backends: readonly Backend[],
    at: Backend = { host: '127.0.0.1', port: 0 },
  ): Promise<TcpBalancer> {
    // A side that has closed its half of the connection still receives data.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await new Promise<void>((resolve) => server.listen(at.port, at.host, resolve));
    return new TcpBalancer(server, (server.address() as { port: number }).port, backends);
  }

  /** Sends new connections to these backends; existing ones stay where they are. */
  use(backends: readonly Backend[]): void {
    this.backends = backends;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private take(client: Socket): void {
    this.watch(client);
    const backends = this.backends;
    this.next += 1;
    const turns = backends.map((_, i) => backends[(this.next + i) % backends.length]!);
    const offer = (): void => {
      const backend = turns.shift();
      if (!backend) return void client.destroy();
      const server = connect({ ...backend, allowHalfOpen: true, noDelay: true });
      server.once('error', offer);
      server.once('connect', () => {
        server.off('error', offer);
        this.watch(server);
        this.join(client, server);
      });
    };
    offer();
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to);
      // A reset is forwarded as a reset.
      from.once('error', () => to.resetAndDestroy());
      from.once('close', (hadError) => hadError || to.end());
    }
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
