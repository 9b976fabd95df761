import { alternate, withCpu } from './alternation.mjs';
import { startScript } from './child-process.mjs';
import { ratioOf } from './statistics.mjs';
import { idleMemoryMb, withPeak } from './peak-memory.mjs';

/** Starts the load generator, for {@link loadInTurn}. */
export function openLoad(life) {
  return life.open(
    'load',
    () => startScript('harness/http-load.mjs'),
    (part) => part.close(),
  );
}

/**
 * Loads two HTTP servers in turn at each number of connections. For a side with a single program, peak memory is measured too.
 * @param {Record<'baseline' | 'product', Side>} comparison.sides
 * @returns {Promise<Record<number, Record<string, number | null>>>} median ratio of each measure by connections
 */
export async function compareReads({ life, report, settings, sides, connectionCounts }) {
  const load = await openLoad(life);
  const ratios = {};
  for (const connections of connectionCounts) {
    const values = await loadInTurn({ load, settings, sides, connections });
    report.addTable(`${connections} connections`, values);
    const measures = Object.keys(values.product);
    ratios[connections] = Object.fromEntries(
      measures.map((key) => [key, ratioOf(values.product[key], values.baseline[key]).median]),
    );
  }
  return ratios;
}

/**
 * Loads each side in turn by repeating one request: a GET, or a POST if it has a body.
 * @typedef {{ port: number, path: string, apiKey: string, processes: Record<string, number>, headers?: Record<string, string>, body?: string }} Side
 * @param {Record<string, Side>} comparison.sides
 * @returns {Promise<Record<string, Record<string, number[]>>>} by side and measure, the values of all rounds
 */
export function loadInTurn({ load, settings, sides, connections }) {
  const measured = Object.entries(sides).map(([name, side]) => [
    name,
    () => measure(load, side, connections, settings.seconds),
  ]);
  return alternate(Object.fromEntries(measured), settings.rounds, settings.onRound);
}

async function measure(load, side, connections, seconds) {
  const { port, path, apiKey, processes, body } = side;
  const headers = { Authorization: `Bearer ${apiKey}`, ...side.headers };
  const work = () =>
    withCpu(processes, () => load.ask({ port, path, headers, body, connections, ms: seconds * 1000 }));
  if (!processes.program) return work();
  side.idleMb ??= idleMemoryMb(processes.program);
  return withPeak(side.idleMb, work, processes.program);
}
