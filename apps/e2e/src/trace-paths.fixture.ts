import { waitFor, type CollectedSpan, type TraceCollector } from '@quarry/test-servers';

/** A trace that a caller has started. */
export interface CallerTrace {
  id: string;
  callerId: string;
  /** Header that says that the caller does not sample the trace; the product must decide by itself. */
  header: string;
}

/** @param letter hexadecimal digit that distinguishes the traces of a spec */
export function traceOf(letter: string): CallerTrace {
  const id = letter.repeat(32);
  const callerId = letter.repeat(16);
  return { id, callerId, header: `00-${id}-${callerId}-00` };
}

/** Paths from the caller to each span, and the number of spans that are not below a caller. */
type TracePaths = string[] & { orphans: number };

/** @returns the path to each span of a trace: "service name > service name", without the common prefix of services */
function pathsOf(spans: readonly CollectedSpan[], callerId: string): TracePaths {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const wayTo = ({ service, name, parentSpanId }: CollectedSpan): string | null => {
    const own = `${service.replace('quarry-', '')} ${name}`;
    if (parentSpanId === callerId) return own;
    const above = parentSpanId === null ? undefined : byId.get(parentSpanId);
    const way = above && wayTo(above);
    return way ? `${way} > ${own}` : null;
  };
  const ways = spans.map(wayTo);
  const found = ways.filter((way) => way !== null);
  return Object.assign(found, { orphans: ways.length - found.length });
}

/**
 * Waits until every span of a trace is below its caller, and the expected paths exist.
 * @param ends paths, or their ends
 * @returns all paths
 * @throws Error naming the missing and the existing paths
 */
export async function untilTraced(
  collector: TraceCollector,
  trace: CallerTrace,
  ends: readonly string[],
): Promise<string[]> {
  let paths: TracePaths = pathsOf([], trace.callerId);
  let missing: string[] = [...ends];
  try {
    await waitFor('the trace', () => {
      paths = pathsOf(collector.trace(trace.id), trace.callerId);
      missing = ends.filter((end) => !paths.some((path) => path.endsWith(end)));
      return Promise.resolve(missing.length === 0 && paths.orphans === 0);
    });
  } catch (cause) {
    const found = [...new Set(paths)].join('\n');
    throw new Error(
      `Of the trace are missing:\n${missing.join('\n')}\nThere are ${paths.orphans} orphans, and:\n${found}`,
      { cause },
    );
  }
  return paths;
}
