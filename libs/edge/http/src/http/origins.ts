/** A page from this machine is as trusted as any program on it. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Decides which web pages may send requests to routes that are exposed to DNS rebinding. Only browsers send an Origin. Source:
 * the Model Context Protocol, Transports, Security.
 */
export class Origins {
  private readonly allowed: ReadonlySet<string>;

  /** @param allowed origins (`https://app.example`) in addition to those of this machine */
  constructor(allowed: readonly string[]) {
    this.allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
  }

  admitOrigin(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    return this.allowed.has(origin.toLowerCase()) || LOCAL.has(URL.parse(origin)?.hostname ?? '');
  }
}
