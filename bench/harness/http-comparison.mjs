import { alternate, withCpu } from './alternation.mjs';
import { startScript } from './child-process.mjs';
import { ratioOf } from './figures.mjs';
import { idleMemoryMb, withPeak } from './peak-memory.mjs';

/**
 * Loads two HTTP servers in turn at each number of connections. Where a side is one program, its peak memory is taken too.
 * @param {Record<'baseline' | 'product', { port: number, path: string, apiKey: string, processes: Record<string, number> }>} comparison.sides
 * @returns {Promise<Record<number, Record<string, number | null>>>} median ratio of each measure by connections
 */
export async function compareReads({ life, report, settings, sides, connectionCounts }) {
  const load = await life.open(
    'load',
    () => startScript('harness/http-load.mjs'),
    (part) => part.close(),
  );
  const ratios = {};
  for (const connections of connectionCounts) {
    const measured = Object.entries(sides).map(([name, side]) => [
      name,
      () => measure(load, side, connections, settings.seconds),
    ]);
    const values = await alternate(Object.fromEntries(measured), settings.rounds, settings.onRound);
    report.addTable(`${connections} connections`, values);
    const measures = Object.keys(values.product);
    ratios[connections] = Object.fromEntries(
      measures.map((key) => [key, ratioOf(values.product[key], values.baseline[key]).median]),
    );
  }
  return ratios;
}

async function measure(load, side, connections, seconds) {
  const { port, path, apiKey, processes } = side;
  const headers = { Authorization: `Bearer ${apiKey}` };
  const work = () =>
    withCpu(processes, () => load.ask({ port, path, headers, connections, ms: seconds * 1000 }));
  if (!processes.program) return work();
  side.idleMb ??= idleMemoryMb(processes.program);
  return withPeak(side.idleMb, work, processes.program);
}
