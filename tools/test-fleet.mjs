// Runs the suites of the API and the browser against one process per service, with queues in Redis and then in PostgreSQL.
// Takes half an hour; further arguments are passed to Jest. npm run test:fleet -- --testPathPatterns mcp
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOfProject, prepare } from './prepare.mjs';

/** Suites of the API that only send requests. The others start, kill and inspect the single process of `npm start`. */
const SUITES = [
  'cancelled-runs',
  'destinations',
  'erased-people',
  'events',
  'fast-services',
  'go',
  'idempotent-requests',
  'mcp',
  'monitors',
  'outreach',
  'sandbox-services',
  'sdk',
  'table-changes',
  'table-inputs',
  'table-prompts',
  'two-tenants',
  'webhooks',
];
const BACKENDS = (process.env.QUARRY_FLEET_QUEUES ?? 'redis,postgres').split(',');

const root = await prepare();
const here = dirname(fileURLToPath(import.meta.url));
let worst = 0;
for (const queues of BACKENDS) {
  console.error(`\n── a fleet with queues in ${queues}`);
  const args = ['--selectProjects', 'e2e', 'browser', '--runInBand', ...process.argv.slice(2)];
  if (!args.includes('--testPathPatterns'))
    args.push('--testPathPatterns', `local/(${SUITES.join('|')})\\.e2e|\\.browser-spec`);
  const { status } = spawnSync(nodeOfProject(root), [join(here, 'run-jest.mjs'), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, QUARRY_PRODUCT: 'fleet', QUARRY_FLEET_QUEUES: queues },
  });
  worst = Math.max(worst, status ?? 1);
}
process.exit(worst);
