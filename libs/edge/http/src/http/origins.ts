/** A page that a browser loads from this machine is as trusted as any program on it. */
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Which web pages may send requests to a route that browsers must not be led to. What is no browser sends no Origin.
 * Source: the Model Context Protocol, Transports, Security.
 */
export class Origins {
  private readonly allowed: ReadonlySet<string>;

  /** @param allowed origins (`https://app.example`) beside those of this machine */
  constructor(allowed: readonly string[]) {
    this.allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
  }

  admit(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    return this.allowed.has(origin.toLowerCase()) || LOCAL.has(URL.parse(origin)?.hostname ?? '');
  }
}
