import { CAN_MEASURE_PROCESSES, cpuMicrosOf } from './process-tree.mjs';

/**
 * Measures sides in turn, A B A B …, after one warm-up round that is discarded. The speed of the machine changes within
 * minutes, so only measurements made directly after each other are compared.
 * @param {Record<string, () => Promise<Record<string, number>>>} sides
 * @returns {Promise<Record<string, Record<string, number[]>>>} by side and measure, the values of all rounds
 */
export async function alternate(sides, rounds, onRound = () => undefined) {
  const values = Object.fromEntries(Object.keys(sides).map((name) => [name, {}]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(sides)) {
      const sample = await measure();
      onRound(name, round, sample);
      if (round === 0) continue;
      for (const [key, value] of Object.entries(sample)) (values[name][key] ??= []).push(value);
    }
  }
  return values;
}

/**
 * Runs work and measures the CPU time of a side's processes, in total and by part.
 * @param {Record<string, number>} processes root process id by part
 * @param {() => Promise<{ operations: number, seconds: number } & Record<string, number>>} work
 */
export async function withCpu(processes, work) {
  const parts = Object.keys(processes);
  const account = () => parts.map((part) => cpuMicrosOf([processes[part]]));
  const before = account();
  const { operations, seconds, ...rest } = await work();
  const after = account();
  const sample = { perSecond: operations / seconds, ...rest };
  if (!CAN_MEASURE_PROCESSES) return sample;
  const spent = parts.map((_, i) => (after[i] - before[i]) / operations);
  sample.cpuMicros = spent.reduce((sum, each) => sum + each, 0);
  // A single process needs no separate line.
  if (parts.length > 1) parts.forEach((part, i) => (sample[`- ${part}`] = spent[i]));
  return sample;
}
