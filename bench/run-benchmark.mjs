// Runs one benchmark by name: `node bench/run-benchmark.mjs <name>`. `npm run bench` calls it for each.
import { parseArgs } from 'node:util';
import { Lifecycle } from '@quarry/app';
import { Report } from './harness/report.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    entries: { type: 'string' },
    verbose: { type: 'boolean' },
  },
});
const [name] = positionals;
// The benchmark reads this when it is loaded.
if (values.entries !== undefined) process.env.BENCH_ENTRIES = values.entries;
const { says, run } = await import(`./${name}.bench.mjs`);
const life = new Lifecycle((part, error) => console.error(`${part} did not close:`, error));
life.closeOnSignals((code) => process.exit(code));
const onRound = (side, round, sample) => values.verbose && console.error(side, round, JSON.stringify(sample));
const settings = { rounds: Number(values.rounds), seconds: Number(values.seconds), onRound };
const report = new Report(name, says);

process.stdout.write(`\n${name}: ${says}\n`);
try {
  await run({ life, report, settings });
  report.finish();
} finally {
  await life.close();
}
process.exit();
