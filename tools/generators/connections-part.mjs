// The table of connections to PostgreSQL in docs/scaling.md, with the total of the usual fleet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTION_BUDGETS, connectionsIn } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { table } from './error-page.mjs';

export const path = 'docs/scaling.md';

const PART = /(<!-- generated: connections -->\n)[^]*?(<!-- \/generated -->)/;
/** Processes that open the queues. */
const WITH_QUEUES = ['local', 'tables', 'runs-agent', 'jobs-worker', 'jobs-worker, SERVICES_RPC=on'];
/** The fleet of docs/reliability.md, Faults. */
const FLEET = { gateway: 2, tables: 2, 'runs-agent': 2, 'jobs-worker': 2, 'jobs-worker, SERVICES_RPC=on': 1 };
/** Connections that PostgreSQL leaves for users by default: max_connections minus superuser_reserved_connections. */
const LEFT = 100 - 3;
/** Connections of `npm run migrate` during a rollout. */
const MIGRATING = 3;

export async function render(root, before) {
  const inQueues = sumOf(QueueBus.connectionsOf('postgres://'));
  const queuesOf = (name) => (WITH_QUEUES.includes(name) ? inQueues : 0);
  const kinds = Object.keys(CONNECTION_BUDGETS.local);
  const rows = Object.entries(CONNECTION_BUDGETS).map(([name, budget]) => [
    `\`${name}\``,
    ...kinds.map((kind) => budget[kind] || ''),
    connectionsIn(budget),
    queuesOf(name) || '',
  ]);
  const fleet = Object.entries(FLEET);
  const own = fleet.map(([name, n]) => n * connectionsIn(CONNECTION_BUDGETS[name]));
  const sum = own.reduce((total, each) => total + each, 0);
  if (sum + MIGRATING > LEFT)
    throw new Error(
      `The usual fleet needs ${sum + MIGRATING} connections, and PostgreSQL leaves ${LEFT} by default.`,
    );
  const queues = fleet.reduce((total, [name, n]) => total + n * queuesOf(name), 0);
  const parts = fleet.map(([name, n], i) => `${n} × \`${name}\` ${own[i]}`).join(' + ');
  const text = `${table(['Process', ...kinds, 'Sum', 'Queues in PostgreSQL'], rows)}

The usual fleet: ${parts} = **${sum}** connections, and ${MIGRATING} for \`npm run migrate\`. PostgreSQL leaves ${LEFT} of its default
\`max_connections = 100\` to users, so it fits when the queues are in Redis. Queues in PostgreSQL take ${queues} more, which makes
${sum + queues + MIGRATING}: set \`max_connections = ${Math.ceil((sum + queues + MIGRATING + 20) / 50) * 50}\`, or put a pooler in front.`;
  const readme = before ?? readFileSync(join(root, path), 'utf8');
  if (!PART.test(readme)) throw new Error('docs/scaling.md has lost the marks of its table of connections.');
  return readme.replace(PART, (_, open, close) => `${open}\n${text}\n\n${close}`);
}

function sumOf(parts) {
  return Object.values(parts).reduce((sum, each) => sum + each, 0);
}
