import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@quarry/local-postgres';
import { ROOT } from './harness/child-process.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { cpuMicrosOf, memoryOf } from './harness/process-tree.mjs';
import { openTempDir } from './harness/servers.mjs';

export const says =
  'npm start and npm run fleet, installed and built, to their welcome screens; and the memory of all their processes';

const STARTS_MAX = 3;
/** Milliseconds until the garbage of the start is collected. */
const SETTLE_MS = 2_000;

export async function run({ life, report, settings }) {
  const [first, second, fleet] = [{}, {}, {}];
  for (let i = 0; i < Math.min(settings.rounds, STARTS_MAX); i += 1) {
    const dataDir = await openTempDir(life);
    keep(first, await start(dataDir));
    keep(second, await start(dataDir));
    const fleetDir = await openTempDir(life);
    await start(fleetDir, ['run', 'fleet']);
    keep(fleet, await start(fleetDir, ['run', 'fleet']));
  }
  report.addTable('npm start, and npm run fleet', {
    'first start': first,
    'second start': second,
    'second start of a fleet': fleet,
  });
  report.addGoal('second start, ms to ready', spreadOf(second.readyMs).median, 'at most', 5_000);
  // PSS, because RSS would count PostgreSQL's shared memory once for each of its thirty processes.
  if (second.pssMb) report.addGoal('whole tree, PSS in MB', spreadOf(second.pssMb).max, 'at most', 500);
  report.addGoal('second start of a fleet, ms to ready', spreadOf(fleet.readyMs).median, 'at most', 6_000);
  if (fleet.pssMb) report.addGoal('whole fleet, PSS in MB', spreadOf(fleet.pssMb).max, 'at most', 1_500);
}

async function start(dataDir, command = ['start']) {
  // Port of the first gateway of a fleet; the second one uses the next port.
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error' };
  const startedAt = performance.now();
  const npm = spawn('npm', command, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => npm.once('exit', resolve));
  try {
    await untilReady(npm);
    const readyMs = performance.now() - startedAt;
    const cpuSeconds = (cpuMicrosOf([npm.pid]) ?? 0) / 1_000_000;
    await delay(SETTLE_MS);
    return { readyMs, 'CPU s until then': cpuSeconds, ...(memoryOf([npm.pid]) ?? {}) };
  } finally {
    // The signal goes to the product, whose id is in the first line of the file; npm and the launcher end with it.
    const file = join(dataDir, 'quarry.pid');
    if (existsSync(file)) process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGTERM');
    await ended;
  }
}

function untilReady(npm) {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (/Quarry is ready[.:]/.test(output)) resolve();
      });
    }
    npm.once('exit', (code) => reject(new Error(`npm ended with code ${code}:\n${output}`)));
  });
}

function keep(values, sample) {
  for (const [key, value] of Object.entries(sample)) (values[key] ??= []).push(value);
}
