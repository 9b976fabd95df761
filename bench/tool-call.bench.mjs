import { differenceOf } from './harness/statistics.mjs';
import { loadInTurn, openLoad } from './harness/http-comparison.mjs';
import { CAN_MEASURE_PROCESSES } from './harness/process-tree.mjs';
import { openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedTable, seedWorkspace } from './harness/table.fixture.mjs';

export const says = 'a call over POST /mcp, of both revisions, against the HTTP route beside it';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const REVISIONS = [LEGACY, MODERN];
const CONNECTIONS = 16;
const ROWS = 1_000;
/** Default page size of the tool. */
const PAGE = 25;
/** Microseconds of CPU that a call may cost more than the route. */
const MORE_CPU_MICROS = 1_000;

export async function run({ life, report, settings }) {
  const product = await openProduct(life);
  const load = await openLoad(life);
  for (const { title, path, message } of casesOf(product.tableId)) {
    const posts = { [LEGACY]: postOf(message, {}), [MODERN]: modernPost(message) };
    for (const post of Object.values(posts)) await mustSucceed(product, post);
    const sides = {
      route: { ...product, path },
      [LEGACY]: { ...product, ...posts[LEGACY] },
      [MODERN]: { ...product, ...posts[MODERN] },
    };
    const values = await loadInTurn({ load, settings, sides, connections: CONNECTIONS });
    report.addTable(title, values);
    for (const revision of CAN_MEASURE_PROCESSES ? REVISIONS : [])
      report.addGoal(
        `${title}, ${revision}: CPU µs more than the route`,
        differenceOf(values[revision].cpuMicros, values.route.cpuMicros).median,
        'at most',
        MORE_CPU_MICROS,
      );
  }
}

/** Returns pairs of a route and the equivalent message; the list of tools is compared with the list of services. */
function casesOf(tableId) {
  const call = (name, args) => ({ method: 'tools/call', params: { name, arguments: args } });
  return [
    { title: 'service_credits_get', path: '/credits', message: call('service_credits_get', {}) },
    {
      title: 'table_rows_get',
      path: `/v1/tables/${tableId}/rows?limit=${PAGE}`,
      message: call('table_rows_get', { table_id: tableId, limit: PAGE }),
    },
    { title: 'tools/list', path: '/services', message: { method: 'tools/list', params: {} } },
  ];
}

/** Returns a request of the revision without sessions: each has the client's information, and headers that name its target. */
function modernPost({ method, params }) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return postOf(
    { method, params: { ...params, _meta } },
    {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(params.name ? { 'Mcp-Name': params.name } : {}),
    },
  );
}

function postOf(message, headers) {
  return {
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
  };
}

/** Checks a call once, because the load counts every 200, which a refused call also has. @throws Error without a result */
async function mustSucceed({ port, apiKey }, { path, headers, body }) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, Authorization: `Bearer ${apiKey}` },
    body,
  });
  const text = await answer.text();
  // A single body, or a stream with one event.
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  if (!result || result.isError) throw new Error(`${body} is refused: ${text.slice(0, 500)}`);
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const seed = await seedWorkspace(cluster.url);
  const { tableId } = await seedTable(cluster.url, seed, ROWS);
  const { port, processes } = await openLocal(life, cluster, { DATABASE_URL: cluster.workingUrl });
  return {
    port,
    apiKey: seed.apiKey,
    tableId,
    processes: { 'all but PostgreSQL': processes.program, PostgreSQL: processes.PostgreSQL },
  };
}
