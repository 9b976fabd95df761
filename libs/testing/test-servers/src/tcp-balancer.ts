import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Backend {
  host: string;
  port: number;
}

/**
 * A plain TCP load balancer: each connection goes to the next backend in turn that accepts it, and is carried as it is.
 * It checks no backend's health: the test keeps the list.
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

  /** @param at where it listens; a port of its own on loopback when left out */
  static async before(
    backends: readonly Backend[],
    at: Backend = { host: '127.0.0.1', port: 0 },
  ): Promise<TcpBalancer> {
    // A side that has ended its half of the connection still reads what the other sends.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await new Promise<void>((resolve) => server.listen(at.port, at.host, resolve));
    return new TcpBalancer(server, (server.address() as { port: number }).port, backends);
  }

  /** Sends new connections to these backends from now on; those that stand stay where they are. */
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
      // A reset is passed on as one.
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
