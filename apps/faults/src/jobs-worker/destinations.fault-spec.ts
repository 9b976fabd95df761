import { afterEach, expect, it } from '@jest/globals';
import { TablePortsModule } from '@quarry/composition';
import { DESTINATIONS_RPC, parseResource } from '@quarry/dto';
import { newId, SecretsModule } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { printMeasurement, status, waitFor, WebhookReceiver } from '@quarry/test-servers';
import { DestinationsApiModule, WebhooksModule } from '@quarry/webhooks';
import { FaultScene, LINES_TIMEOUT_MS, onBoth, type Backend } from './spec-kit.js';

const ENCRYPTION_KEYS = 's'.repeat(32);
const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const [ROWS, PER_REQUEST, ANSWERED] = [40, 10, 2];

afterEach(() => FaultScene.closeAll());

/** A worker that pushes the rows of a table is killed while the receiver has a batch that it does not answer. */
async function killBetweenSendAndSettle(backend: Backend) {
  const scene = await FaultScene.open({ backend });
  const receiver = await WebhookReceiver.start();
  const { rpc, close } = await openLocalCalls({
    database: scene.test.database,
    cursorSecret: ENCRYPTION_KEYS,
    modules: [
      SecretsModule.forRoot([ENCRYPTION_KEYS]),
      WebhooksModule.forRoot({ allowHosts: [receiver.host] }),
      TablePortsModule,
      DestinationsApiModule,
    ],
    apis: [DESTINATIONS_RPC],
  });
  const [ws, table] = [newId('ws'), newId('tbl')];
  const columns = JSON.stringify([{ key: 'a', name: 'A', kind: 'text', qualification: {} }]);
  const { orgId } = scene.ctx;
  await scene.all("INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, 'W')", [orgId, ws]);
  await scene.all(
    `WITH t AS (
       INSERT INTO tables.tables (org_id, id, workspace_id, name, columns, row_count) VALUES ($1, $2, $3, 'T', $4, $5) RETURNING row_set)
     INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
     SELECT $1, row_set, n, 'row_' || lpad(n::text, 26, '0'), jsonb_build_object('a', n) FROM t, generate_series(0, $5::int - 1) n`,
    [orgId, table, ws, columns, ROWS],
  );
  const settings = { url: receiver.url(), rows_per_request: PER_REQUEST };
  const body = { kind: 'webhook', name: 'x', secret: SIGNING, settings } as const;
  const { id } = parseResource(await rpc.call(scene.ctx, DESTINATIONS_RPC.create, { body }));
  const startSender = () =>
    scene.startWorker({
      env: { WORKER_QUEUES: 'destination-push', ENCRYPTION_KEYS, FETCH_ALLOW_HOSTS: receiver.host },
    });
  const victim = await startSender();
  receiver.reply = (response) => {
    if (receiver.received.length <= ANSWERED) response.writeHead(204).end();
  };
  const begun = await rpc.call(scene.ctx, DESTINATIONS_RPC.push, {
    destinationId: id,
    body: { table_id: table },
  });
  const { id: pushId } = parseResource(begun);
  await waitFor('a batch without an answer', () =>
    Promise.resolve(receiver.received.length === ANSWERED + 1),
  );
  await victim.stop('SIGKILL');
  const killedAt = performance.now();
  receiver.reply = status(204);
  await startSender();
  const read = async () =>
    parseResource(await rpc.call(scene.ctx, DESTINATIONS_RPC.getPush, { destinationId: id, pushId }));
  const push = await waitFor(
    'the push to end',
    async () => {
      const now = await read();
      return now.status === 'completed' && now;
    },
    LINES_TIMEOUT_MS,
  );
  const resumedMs = receiver.received[ANSWERED + 1]!.at - killedAt;
  const ids = receiver.idsAt('/');
  const rows = receiver.received.flatMap(({ body: text }) =>
    (JSON.parse(text) as { rows: Array<{ values: { a: number } }> }).rows.map(({ values }) => values.a),
  );
  await close();
  await receiver.stop();
  return { counts: push.counts, ids, rows, resumedMs, broken: await scene.close() };
}

it('a worker that is killed between sending and settling a batch has that batch sent again by the same id, and no other', () =>
  onBoth(async (backend) => {
    const { counts, ids, rows, resumedMs, broken } = await killBetweenSendAndSettle(backend);
    printMeasurement(`from the kill to the next batch, queues on ${backend}: ${Math.round(resumedMs)} ms`);
    expect(ids).toHaveLength(ROWS / PER_REQUEST + 1);
    expect(ids[ANSWERED + 1]).toBe(ids[ANSWERED]);
    expect(new Set(ids).size).toBe(ROWS / PER_REQUEST);
    const again = [ANSWERED * PER_REQUEST, (ANSWERED + 1) * PER_REQUEST];
    const all = Array.from({ length: ROWS }, (_, i) => i);
    expect(rows).toEqual([...all.slice(0, again[1]), ...all.slice(again[0])]);
    expect(counts).toMatchObject({ new: ROWS, unchanged: 0, failed: 0 });
    expect(broken).toEqual({});
  }));
