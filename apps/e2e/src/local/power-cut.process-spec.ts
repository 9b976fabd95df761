import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowJson, RunJson, TableJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { PostgresServer } from '@quarry/local-postgres';
import { ApiClient, brokenInvariants, descendantsOf, startProduct, type Product } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';

const SLOW_MS = 240_000;
const ENV = { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error' };
/** Number of lines that are found and charged before the power cut, that are in progress during it, and that find nothing. */
const LINES = { quick: 6, slow: 6, missed: 2 };
const DOMAINS = { quick: 'slow-1s', slow: 'slow-6s', missed: 'miss' };
/** Credits for an e-mail address; a miss is free. Source: price list of the contract. */
const PRICE = 1;
/** Thousandths of a credit, the unit of the database. */
const CREDIT = 1000;
/** Triggers that record, in the transaction of the change, what polling could miss. */
const RECORDERS = [
  'CREATE SCHEMA recorded',
  'CREATE TABLE recorded.changes (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text NOT NULL, what text NOT NULL)',
  `CREATE FUNCTION recorded.status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     IF TG_OP = 'INSERT' OR OLD.status IS DISTINCT FROM NEW.status THEN
       INSERT INTO recorded.changes (run_id, what) VALUES (NEW.id, NEW.status);
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION recorded.step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     INSERT INTO recorded.changes (run_id, what) VALUES (NEW.run_id, 'step ' || NEW.name);
     RETURN NULL;
   END $$`,
  'CREATE TRIGGER recorded AFTER INSERT OR UPDATE ON runs.runs FOR EACH ROW EXECUTE FUNCTION recorded.status()',
  `CREATE TRIGGER recorded AFTER UPDATE ON runs.steps FOR EACH ROW
   WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION recorded.step()`,
];

// The process tree is read from /proc, which only Linux has.
const onLinux = existsSync('/proc/self/stat') ? describe : describe.skip;

onLinux('kill -9 of the product and of every process of its PostgreSQL, in the middle of a run', () => {
  let product: Product;
  let api: ApiClient;

  beforeAll(() => start(), SLOW_MS);
  afterAll(() => product.dispose());

  async function start(dataDir?: string): Promise<void> {
    product = await startProduct({ database: 'embedded', env: ENV, ...(dataDir ? { dataDir } : {}) });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }

  const folder = () => join(product.dataDir, 'postgres');
  const openDatabase = () =>
    Database.open({
      url: PostgresServer.urlAt(folder(), 'quarry', 'quarry_owner')!,
      applicationName: 'spec',
    });
  const credits = async () => (await api.get<{ balance: number; reserved: number }>('/credits')).body;

  async function startedRun(): Promise<RunJson> {
    const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Cut' })).body;
    const rows = (['quick', 'slow', 'missed'] as const).flatMap((kind) =>
      Array.from({ length: LINES[kind] }, (_, i) => ({
        first_name: `${kind}${i}`,
        last_name: 'Doe',
        domain: `${DOMAINS[kind]}.sandbox.test`,
      })),
    );
    const columns = Object.keys(rows[0]!).map((key) => ({ key, name: key.replace('_', ' ') }));
    const body = { name: 'Cut', columns, rows };
    const table = await api.post<TableJson>(`/v1/workspaces/${workspace.id}/tables`, body);
    expect(table.status).toBe(201);
    const started = await api.post<RunJson>('/v1/runs', {
      prompt: 'From my table "Cut": everyone, with work email',
    });
    expect(started.status).toBe(202);
    return started.body;
  }

  it(
    'a run goes running, recovering, running, completed; no duplicate row, no repeated step, no double charge',
    async () => {
      await waitFor('the lines of the first screen to end', async () => (await credits()).reserved === 0);
      const before = await credits();
      const database = await openDatabase();
      for (const statement of RECORDERS) await database.query(systemCtx('spec'), statement);
      const run = await startedRun();
      await waitFor('half of the lines to be charged and half to be in flight', async () => {
        const done = await resolutionsOf(database, run.id);
        const { reserved } = await credits();
        return done.length === LINES.quick + LINES.missed && reserved === LINES.slow * PRICE;
      });
      await database.close();

      const server = Number(readFileSync(join(folder(), 'postmaster.pid'), 'utf8').split('\n')[0]);
      const tree = descendantsOf(product.pid);
      expect(tree).toContain(server);
      expect(descendantsOf(server).length).toBeGreaterThan(0);
      await product.powerCut();
      expect(PostgresServer.runningAt(folder())).toBeNull();
      const cutAt = performance.now();
      await start(product.dataDir);
      const upAt = performance.now();
      await api.runEnd(run);
      printMeasurement(
        `kill -9 of ${tree.length + 1} processes in a run: up again after ${((upAt - cutAt) / 1000).toFixed(1)} s, completed after ${((performance.now() - cutAt) / 1000).toFixed(1)} s`,
      );
      await checkBalance(run, before.balance);
    },
    SLOW_MS,
  );

  async function checkBalance(run: RunJson, balanceBefore: number): Promise<void> {
    const finds = LINES.quick + LINES.slow;
    const database = await openDatabase();
    try {
      const changes = (
        await database.query<{ what: string }>(
          systemCtx('spec'),
          'SELECT what FROM recorded.changes WHERE run_id = $1 ORDER BY position',
          [run.id],
        )
      ).map(({ what }) => what);
      expect(changes.filter((what) => !what.startsWith('step '))).toEqual([
        'queued',
        'running',
        'recovering',
        'running',
        'completed',
      ]);
      const steps = changes.filter((what) => what.startsWith('step '));
      expect(new Set(steps).size).toBe(steps.length);
      // The power was cut between two steps: some were finished before it, the others after it.
      expect(changes.findIndex((what) => what.startsWith('step '))).toBeLessThan(
        changes.indexOf('recovering'),
      );
      expect(changes.findLastIndex((what) => what.startsWith('step '))).toBeGreaterThan(
        changes.indexOf('recovering'),
      );

      const resolutions = await resolutionsOf(database, run.id);
      expect(new Set(resolutions.map(({ job_id: job }) => job)).size).toBe(resolutions.length);
      expect(resolutions.map(({ kind, amount }) => `${kind} ${amount}`).sort()).toEqual([
        ...Array.from({ length: finds }, () => `post ${PRICE * CREDIT}`),
        ...Array.from({ length: LINES.missed }, () => 'void 0'),
      ]);
      // A repeated step must not create a second batch. Its lines would be reused for free, so the charges would not show it.
      expect(
        await database.query(systemCtx('spec'), 'SELECT size FROM jobs.batches WHERE run_id = $1', [run.id]),
      ).toEqual([{ size: finds + LINES.missed }]);
      expect(await brokenInvariants(database)).toEqual({});
    } finally {
      await database.close();
    }
    expect(await credits()).toMatchObject({ balance: balanceBefore - finds * PRICE, reserved: 0 });
    const ended = (await api.get<RunJson>(run.links.self)).body;
    expect(ended.artifacts).toHaveLength(1);
    const { items } = (await api.get<{ items: RowJson[] }>(`${ended.artifacts[0]!.links.rows}?limit=1000`))
      .body;
    expect(items.map(({ values }) => String(values.first_name)).sort()).toEqual(
      (['missed', 'quick', 'slow'] as const).flatMap((kind) =>
        Array.from({ length: LINES[kind] }, (_, i) => `${kind}${i}`),
      ),
    );
    for (const { values } of items)
      expect([values.first_name, typeof values.email === 'string']).toEqual([
        values.first_name,
        !String(values.first_name).startsWith('missed'),
      ]);
  }
});

/** Returns the outcomes of the holds of a run's lines: a post is a charge, a void returns the credits. */
function resolutionsOf(database: Database, runId: string) {
  return database.query<{ job_id: string; kind: string; amount: string }>(
    systemCtx('spec'),
    `SELECT e.job_id, e.kind, e.amount::text FROM credits.transfers e JOIN jobs.jobs j ON j.id = e.job_id
     WHERE j.run_id = $1 AND e.kind IN ('post', 'void')`,
    [runId],
  );
}
