/** Last line of the fleet's start screen. */
export const READY = 'Press Ctrl-C to stop';
/** Milliseconds. Other suites and a dozen processes share two cores. */
export const READY_MS = 180_000;

/** @returns the addresses of the gateways on the fleet's start screen */
export function gatewaysIn(screen: string): string[] {
  return /API {10}(.*(?:\n {15}http.*)*)/.exec(screen)![1]!.split(/\s+/);
}

/**
 * @returns the ports of /readyz of all processes that the fleet's start screen lists
 * @throws Error when their number differs from the one on the screen
 */
export function plannedIn(screen: string): string[] {
  const count = Number(/Quarry is ready: (\d+) processes/.exec(screen)?.[1]);
  const [, list = ''] = screen.split('Metrics and health of each process');
  const ports = [...list.matchAll(/^ {2}\S+ +http:\/\/127\.0\.0\.1:(\d+)$/gm)].map(([, port]) => port!);
  if (ports.length === 0 || ports.length !== count)
    throw new Error(`The screen lists ${ports.length} processes in place of ${count}.`);
  return ports;
}
