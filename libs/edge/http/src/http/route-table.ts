/** Lists all routes, to distinguish a wrong method (405) from a wrong address (404). Used only when no route matched. */
export class RouteTable {
  private readonly routes = new Map<string, Set<string>>();

  /** @param url pattern with `:name` for a variable segment */
  addRoute(method: string | string[], url: string): void {
    const methods = this.routes.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    this.routes.set(url, methods);
  }

  /** @returns the methods of the routes at an address, in alphabetical order; empty when there are no routes */
  methodsAt(target: string): string[] {
    const segments = target.split('?')[0]!.split('/');
    const found = new Set<string>();
    for (const [url, methods] of this.routes) {
      if (matchesPattern(url.split('/'), segments)) for (const method of methods) found.add(method);
    }
    return [...found].sort();
  }
}

function matchesPattern(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}
