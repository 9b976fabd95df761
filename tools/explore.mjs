// Searches for failing seeds: runs every suite with random walks with new seeds. npm run explore -- 5 (rounds; default 3),
// npm run explore -- 1 faults (also the fault suites, which take many minutes).
// The tests themselves use fixed seeds (libs/testing/testing/src/seeds.ts; tools/seeded-fast-check.mjs for properties), so that
// the same code gets the same result. Add a seed that fails here to those; add a failing case of a property to its `examples`.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOfProject, prepare } from './prepare.mjs';

const SEED_BOUND = 1_000_000_000;
const SEEDED = /\b(seedsOf|SeededRandom\.of)\(|'fast-check'|\.contract\.js'/;

const root = await prepare();
const args = process.argv.slice(2);
const rounds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 3);
const withFaults = args.includes('faults');

const specs = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*spec.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && (withFaults || !file.endsWith('.fault-spec.ts')))
  .filter((file) => SEEDED.test(readFileSync(join(root, file), 'utf8')));
const projects = ['unit', 'db', 'e2e', ...(withFaults ? ['faults'] : [])];

const failed = [];
for (let round = 1; round <= rounds; round += 1) {
  const seed = randomInt(SEED_BOUND);
  console.log(`\n── round ${round} of ${rounds}, seed ${seed}: ${specs.length} suites`);
  const { status } = spawnSync(
    nodeOfProject(root),
    ['tools/test.mjs', '--selectProjects', ...projects, '--runTestsByPath', ...specs],
    { cwd: root, stdio: 'inherit', env: { ...process.env, SEED: String(seed) } },
  );
  if (status !== 0) failed.push(seed);
}
if (failed.length > 0) {
  console.log(`\n${failed.length} of ${rounds} seeds failed: ${failed.join(', ')}.`);
  console.log(
    'SEED=… npm test -- --runTestsByPath FILE repeats one. Add it to libs/testing/testing/src/seeds.ts.',
  );
  process.exit(1);
}
console.log(`\n${rounds} new seeds passed.`);
