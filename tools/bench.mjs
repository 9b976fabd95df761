// Runs benchmarks: all of them, or the named ones. See bench/README.md.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, runOrExit } from './prepare.mjs';

/** Benchmarks that run only by name, because they install the products that they compare with. */
const BY_NAME = ['directus', 'held-line', 'peers'];

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('--'));
const asked = words.filter((word) => !word.startsWith('--'));
const root = await prepare();
const known = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.replace(/\.bench\.mjs$/, ''));
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. Known: ${known.join(', ')}`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : known.filter((each) => !BY_NAME.includes(each)))
  runOrExit(root, ['bench/run-benchmark.mjs', name, ...options]);
