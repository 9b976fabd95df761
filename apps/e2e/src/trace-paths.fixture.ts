import { waitFor, type CollectedSpan, type TraceCollector } from '@quarry/test-servers';

/** A trace that a caller has begun: what it sends, and what it looks for. */
export interface CallerTrace {
  id: string;
  callerId: string;
  /** The caller says that it records nothing: that is not for it to decide. */
  header: string;
}

/** @param letter of hexadecimal digits; traces of a spec differ by it */
export function traceOf(letter: string): CallerTrace {
  const id = letter.repeat(32);
  const callerId = letter.repeat(16);
  return { id, callerId, header: `00-${id}-${callerId}-00` };
}

/** Ways from the caller down to each span, and how many spans lead to no caller. */
type TracePaths = string[] & { orphans: number };

/** @returns the way to each span of a trace: "service name > service name", services without their common beginning */
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
 * Waits until every span of a trace stands below its caller, and ways are there.
 * @param ends ways, or how they end
 * @returns all ways
 * @throws Error naming what is missing and what there is
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
