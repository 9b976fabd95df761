// CPU and memory of processes, read from /proc: the only source that includes PostgreSQL's backends.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** True if this machine has /proc, so that CPU and memory can be measured. */
export const CAN_MEASURE_PROCESSES = process.platform === 'linux' && existsSync('/proc/self/stat');

const TICKS_PER_SECOND = CAN_MEASURE_PROCESSES
  ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  : 100;

/**
 * @param {number[]} roots process ids
 * @returns {number | null} CPU microseconds (user and system) that the processes and their descendants have used so far; ended
 * descendants are counted for the process that waited for them
 */
export function cpuMicrosOf(roots) {
  if (!CAN_MEASURE_PROCESSES) return null;
  const ticks = treeOf(roots).reduce((sum, each) => sum + each.ticks, 0);
  return (ticks / TICKS_PER_SECOND) * 1_000_000;
}

/**
 * @param {number[]} roots process ids
 * @returns {{ rssMb: number, pssMb: number, processes: number } | null} memory of the processes and their descendants.
 * RSS counts a shared page once for every process that maps it, PSS divides it among them.
 */
export function memoryOf(roots) {
  if (!CAN_MEASURE_PROCESSES) return null;
  const rollups = treeOf(roots).map(({ pid }) => readOrNull(`/proc/${pid}/smaps_rollup`) ?? '');
  const sumMb = (field) =>
    rollups.reduce(
      (sum, text) => sum + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0),
      0,
    ) / 1024;
  return { rssMb: sumMb('Rss'), pssMb: sumMb('Pss'), processes: rollups.length };
}

function treeOf(roots) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => processOf(Number(pid)) ?? []);
  const found = all.filter(({ pid }) => roots.includes(pid));
  // The array grows during the iteration: each process adds its children.
  for (const { pid } of found)
    found.push(...all.filter((each) => each.parent === pid && !found.includes(each)));
  return found;
}

function processOf(pid) {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name is in parentheses and may contain anything, so fields are counted from the last parenthesis:
  // state, parent, …, then user and system time, and both of ended children.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(fields[1]),
    ticks: fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0),
  };
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
