import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson, TableJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import {
  ApiClient,
  brokenInvariants,
  SeededRandom,
  startProduct,
  StateSampler,
  type Product,
} from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';

const SLOW_MS = 240_000;
const RUNS = 24;
const AT_ONCE = 6;
const LINES = 5;
/** Milliseconds. A run takes about this long here; most cancellations happen during the run or shortly after it. */
const SPREAD_MS = 1600;
/** One in this many runs is cancelled at once, and one after its end, so that each side wins sometimes on any machine. */
const CERTAIN_EVERY = 6;

describe('a run that is cancelled while its paid lines settle', () => {
  let product: Product;
  let api: ApiClient;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  }, SLOW_MS);
  afterAll(() => product.dispose());

  const query = async <T>(sql: string) =>
    (await product.database!.database.query(systemCtx('spec'), sql)) as T[];

  /** Starts a run over new people, so that no answer is reused. */
  async function startRun(n: number, workspaceId: string): Promise<RunJson> {
    const rows = Array.from({ length: LINES }, (_, i) => ({
      first_name: `R${n}L${i}`,
      last_name: 'Doe',
      domain: i % 2 ? 'slow-1s.sandbox.test' : 'acme.example',
    }));
    const columns = Object.keys(rows[0]!).map((key) => ({ key, name: key.replace('_', ' ') }));
    const table = await api.post<TableJson>(`/v1/workspaces/${workspaceId}/tables`, {
      name: `People ${n}`,
      columns,
      rows,
    });
    expect(table.status).toBe(201);
    const run = await api.post<RunJson>('/v1/runs', {
      workspace_id: workspaceId,
      prompt: `From my table "People ${n}": everybody with work e-mail`,
    });
    expect(run.status).toBe(202);
    return run.body;
  }

  it(
    `ends once, and settles each of its holds once, whichever comes first (${RUNS} runs)`,
    async () => {
      const { asOwner, database } = product.database!;
      await asOwner(
        'CREATE TABLE public.ends (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text NOT NULL, status text NOT NULL); GRANT SELECT ON public.ends TO quarry_working',
      );
      await asOwner(`CREATE FUNCTION public.note_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN INSERT INTO public.ends (run_id, status) VALUES (NEW.id, NEW.status); RETURN NULL; END $$`);
      await asOwner(`CREATE TRIGGER note_end AFTER UPDATE ON runs.runs FOR EACH ROW
        WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION public.note_end()`);
      const sampler = new StateSampler(database).start();
      const random = SeededRandom.of('cancelled runs');
      const workspace = (await api.post<{ id: string }>('/v1/workspaces', { name: 'Cancelled' })).body;
      const answers: Array<{ id: string; status: number; state: string; end: string }> = [];
      let next = 0;
      const client = async (): Promise<void> => {
        for (let n = (next += 1); n <= RUNS; n = next += 1) {
          const run = await startRun(n, workspace.id);
          const ended = async () => (await api.runEnd(run)).status;
          const waitMs = random.below(SPREAD_MS);
          if (n % CERTAIN_EVERY === 0) await ended();
          else if (n % CERTAIN_EVERY > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
          const { status, body } = await api.post<RunJson>(`/v1/runs/${run.id}/cancel`, {});
          const end = await ended();
          answers.push({ id: run.id, status, state: body.status, end });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      // Lines of a cancelled run that have started continue to their end.
      await waitFor('every line to end', async () => {
        const open = "SELECT 1 FROM jobs.jobs WHERE state IN ('queued', 'running') LIMIT 1";
        return (await query(open)).length === 0;
      });
      const ends = await query<{ run_id: string; status: string }>(
        `SELECT run_id, status FROM public.ends WHERE status IN ('completed', 'cancelled', 'failed')`,
      );
      const tally = Object.groupBy(answers, ({ end }) => end);
      const [{ posts, finds }] = (await query<{ posts: number; finds: number }>(
        `SELECT (SELECT count(*)::int FROM credits.transfers WHERE kind = 'post' AND run_id = ANY (SELECT id FROM runs.runs WHERE workspace_id = '${workspace.id}')) AS posts,
           (SELECT count(*)::int FROM jobs.jobs WHERE state = 'completed' AND (result ->> 'found')::boolean
              AND run_id = ANY (SELECT id FROM runs.runs WHERE workspace_id = '${workspace.id}')) AS finds`,
      )) as [{ posts: number; finds: number }];
      printMeasurement(
        `runs cancelled at random moments: ${tally.completed?.length ?? 0} completed, ${tally.cancelled?.length ?? 0} cancelled, ${finds} finds, ${posts} charges, seed ${random.seed}`,
      );
      expect(ends).toHaveLength(RUNS);
      for (const { id, status, state, end } of answers) {
        expect(ends.filter(({ run_id: run }) => run === id).map((each) => each.status)).toEqual([end]);
        expect(end).not.toBe('failed');
        // A cancellation that arrives after the end returns the actual end.
        if (status === 200) expect(state).toBe(end);
        else expect(status).toBe(202);
      }
      expect(posts).toBe(finds);
      expect(Math.min(tally.completed?.length ?? 0, tally.cancelled?.length ?? 0)).toBeGreaterThan(0);
      expect(await sampler.stop()).toEqual([]);
      expect(await brokenInvariants(database)).toEqual({});
    },
    SLOW_MS,
  );
});
