import { connect, createServer, type Server, type Socket } from 'node:net';

/** Fault of existing and new connections. */
export type TcpFault =
  /** Forwards everything. */
  | { kind: 'pass' }
  /** Does not listen, and resets existing connections. */
  | { kind: 'refuse' }
  /** Resets everything, existing connections and every attempt. */
  | { kind: 'reset' }
  /**
   * Keeps and accepts connections without forwarding any byte until the fault is removed; then the held bytes arrive, as by
   * TCP retransmission. With `heals: 'never'` these connections stay silently dead, as after a failover, and only new ones
   * reach the server.
   */
  | { kind: 'black-hole'; heals?: 'never' }
  /** A connection that carries the text, in either direction, is dead from then on, as in a black hole; others work. */
  | { kind: 'dead-link'; at: string }
  /** Each chunk is delayed by this time. */
  | { kind: 'slow'; ms: number }
  /** A connection is reset after this many bytes to the client. */
  | { kind: 'cut'; afterBytes: number }
  /** A request that contains the text is delivered; its response is not, and the connection ends. Once, then `pass`. */
  | { kind: 'drop-answer'; to: string };

interface Link {
  client: Socket;
  server: Socket;
  bytesToClient: number;
  isDoomed: boolean;
  /** True if it is open but will never forward a byte again. */
  isDead: boolean;
  /** Bytes held by a black hole, in order. */
  held: Array<{ to: Socket; bytes: Buffer }>;
}

/** A TCP proxy that simulates network faults. */
export class TcpFaultProxy {
  private fault: TcpFault = { kind: 'pass' };
  private readonly links = new Set<Link>();
  private port = 0;
  /** Number of dropped responses. */
  answersDropped = 0;

  private constructor(
    private server: Server,
    private readonly target: { host: string; port: number },
    private readonly host: string,
  ) {}

  /**
   * @param url of the upstream server
   * @param host listening address of this machine
   */
  static async before(url: string, host = '127.0.0.1'): Promise<TcpFaultProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpFaultProxy(createServer(), { host: hostname, port: Number(port) }, host);
    await proxy.listen();
    return proxy;
  }

  /** @returns a URL of the upstream server with the address of this proxy */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = this.host;
    changed.port = String(this.port);
    return changed.href;
  }

  /** Returns the number of open connections that will never carry a byte again. */
  get deadLinks(): number {
    return [...this.links].filter(({ isDead }) => isDead).length;
  }

  /** Changes the fault, also for existing connections. */
  async set(fault: TcpFault): Promise<void> {
    const wasRefusing = this.fault.kind === 'refuse';
    this.fault = fault;
    if (fault.kind === 'refuse' || fault.kind === 'reset') for (const link of this.links) this.end(link);
    if (fault.kind === 'refuse' && !wasRefusing) await this.unlisten();
    if (fault.kind !== 'refuse' && wasRefusing) await this.listen();
    if (this.isDeadly) for (const link of this.links) link.isDead = true;
    if (fault.kind !== 'black-hole')
      for (const link of this.links) for (const { to, bytes } of link.held.splice(0)) to.write(bytes);
  }

  async close(): Promise<void> {
    for (const link of this.links) this.end(link);
    if (this.fault.kind !== 'refuse') await this.unlisten();
  }

  private async listen(): Promise<void> {
    this.server = createServer((client) => this.take(client));
    await new Promise<void>((resolve) => this.server.listen(this.port, this.host, resolve));
    this.port = (this.server.address() as { port: number }).port;
  }

  private async unlisten(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(client: Socket): void {
    if (this.fault.kind === 'reset') return void client.resetAndDestroy();
    const server = connect(this.target);
    const link: Link = { client, server, bytesToClient: 0, isDoomed: false, isDead: this.isDeadly, held: [] };
    this.links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.end(link)).on('close', () => this.end(link));
    }
    client.on('data', (bytes: Buffer) => this.toServer(link, bytes));
    server.on('data', (bytes: Buffer) => this.toClient(link, bytes));
  }

  private toServer(link: Link, bytes: Buffer): void {
    if (this.fault.kind === 'drop-answer' && bytes.includes(this.fault.to)) {
      this.fault = { kind: 'pass' };
      link.isDoomed = true;
    }
    this.carry(link, link.server, bytes);
  }

  private toClient(link: Link, bytes: Buffer): void {
    if (link.isDoomed) {
      this.answersDropped += 1;
      return this.end(link);
    }
    link.bytesToClient += bytes.length;
    if (this.fault.kind === 'cut' && link.bytesToClient > this.fault.afterBytes) return this.end(link);
    this.carry(link, link.client, bytes);
  }

  private get isDeadly(): boolean {
    return this.fault.kind === 'black-hole' && this.fault.heals === 'never';
  }

  private carry(link: Link, to: Socket, bytes: Buffer): void {
    if (this.fault.kind === 'dead-link' && bytes.includes(this.fault.at)) link.isDead = true;
    if (link.isDead) return;
    if (this.fault.kind === 'black-hole') link.held.push({ to, bytes });
    else if (this.fault.kind === 'slow') setTimeout(() => to.writable && to.write(bytes), this.fault.ms);
    else to.write(bytes);
  }

  private end(link: Link): void {
    this.links.delete(link);
    link.client.resetAndDestroy();
    link.server.destroy();
  }
}
