import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { ROOT } from './child-process.mjs';
import { ratioOf, spreadOf } from './statistics.mjs';
import { CAN_MEASURE_PROCESSES } from './process-tree.mjs';

const LABELS = {
  perSecond: 'per second',
  cpuMicros: 'CPU µs per operation',
  tookMs: 'ms',
  p50Ms: 'p50 ms',
  p95Ms: 'p95 ms',
  p99Ms: 'p99 ms',
  readyMs: 'ready after ms',
  rssMb: 'RSS MB',
  pssMb: 'PSS MB',
  peakMb: 'peak MB over idle',
  processes: 'processes',
  inWork: 'answers in work, mean',
  fastInWork: 'direct calls in work, mean',
  slowInWork: 'lines in work, mean',
  mostInWork: 'answers in work, most',
  chargesPerCell: 'charges for each cell',
  kbPerRead: 'kB per held read',
  connections: 'more database connections',
  messageP50Ms: '- message, p50 ms',
  commitsP50Ms: '- commits, p50 ms',
};

/** Collects the tables and goals of one benchmark, prints them and stores them as JSON. */
export class Report {
  tables = [];
  goals = [];

  constructor(name, says) {
    this.name = name;
    this.says = says;
  }

  /**
   * @param {Record<string, Record<string, number[]>>} values by side and measure; the first side is the baseline, by which the
   * others are divided
   */
  addTable(title, values) {
    const [baseline, ...others] = Object.keys(values);
    const measures = [...new Set(Object.values(values).flatMap((side) => Object.keys(side)))];
    const rows = measures.map((measure) => ({
      measure,
      sides: Object.fromEntries(
        Object.entries(values).map(([side, of]) => [
          side,
          of[measure] ? { ...spreadOf(of[measure]), values: of[measure] } : null,
        ]),
      ),
      ratios: Object.fromEntries(
        others.map((side) => {
          const [mine, theirs] = [values[side][measure], values[baseline][measure]];
          return [side, mine && theirs ? ratioOf(mine, theirs) : null];
        }),
      ),
    }));
    this.tables.push({ title, baseline, rows });
    process.stdout.write(`\n${textOf(title, Object.keys(values), others, rows)}\n`);
  }

  /** @param {'at least' | 'at most'} bound */
  addGoal(says, value, bound, limit) {
    if (value === null || Number.isNaN(value)) return;
    const isMet = bound === 'at least' ? value >= limit : value <= limit;
    this.goals.push({ says, value, bound, limit, isMet });
  }

  finish() {
    if (!CAN_MEASURE_PROCESSES)
      process.stdout.write('\nCPU and memory are not measured: this machine has no /proc.\n');
    process.stdout.write('\nGoals\n');
    for (const { says, value, bound, limit, isMet } of this.goals)
      process.stdout.write(
        `  ${isMet ? 'met   ' : 'MISSED'}  ${says}: ${short(value)} (${bound} ${limit})\n`,
      );
    const machine = {
      platform: process.platform,
      arch: process.arch,
      node: process.version,
      cpu: cpus()[0]?.model,
      cpus: cpus().length,
    };
    const { name, says, tables, goals } = this;
    mkdirSync(`${ROOT}.bench`, { recursive: true });
    const file = `.bench/${name}.json`;
    writeFileSync(
      `${ROOT}${file}`,
      `${JSON.stringify({ name, says, at: new Date().toISOString(), machine, goals, tables }, null, 2)}\n`,
    );
    process.stdout.write(`\nWritten to ${file}\n`);
  }
}

function textOf(title, sides, others, rows) {
  const head = ['', ...sides, ...others.map((side) => `${side} / ${sides[0]}`)];
  const lines = rows.map(({ measure, sides: spreads, ratios }) => [
    LABELS[measure] ?? measure,
    ...Object.values(spreads).map(spreadText),
    ...Object.values(ratios).map(spreadText),
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...lines].map((line) => line[i].length)));
  const aligned = [head, ...lines].map((line) =>
    `  ${line.map((cell, i) => cell.padEnd(widths[i])).join('   ')}`.trimEnd(),
  );
  return [`${title}: median (min–max)`, ...aligned].join('\n');
}

/** @param {{ median: number, min: number, max: number } | null} spread null if a side has no such value */
function spreadText(spread) {
  if (spread === null) return '–';
  const { median, min, max } = spread;
  return `${short(median)} (${short(min)}–${short(max)})`;
}

function short(value) {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
