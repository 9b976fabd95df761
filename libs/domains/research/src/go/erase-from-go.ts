import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Ctx } from '@quarry/app';
import { ofTenant, tenantOf, type Database, type ErasurePart, type SoughtPerson } from '@quarry/postgres';
import { statement } from '../statements.types.js';

const decompress = promisify(gunzip);
const ROWS_PER_STATEMENT = 50;

/**
 * Erases a person from the Go runs and pages of the context's organisation and mode: deletes ended runs that name them,
 * with their steps, and the texts of pages that do. Idempotent.
 * @returns `runs` and `pages` deleted; `in_work`: open runs about the person, which are left unchanged
 */
export async function eraseFromGo(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<{ runs: number; pages: number; in_work: number }> {
  const sum = { runs: 0, pages: 0, in_work: 0 };
  for (let after = ''; ;) {
    const page = await database.query(ctx, RUNS, [tenantOf(ctx), after, ROWS_PER_STATEMENT]);
    for (const { id, ended, texts, steps } of page) {
      if (!person.isIn(texts) && !person.isIn(steps)) continue;
      if (!ended) sum.in_work += 1;
      else sum.runs += (await database.query(ctx, DELETE_RUN, [tenantOf(ctx), id])).length;
    }
    if (page.length < ROWS_PER_STATEMENT) break;
    after = page.at(-1)!.id;
  }
  // The database cannot search compressed texts.
  for (let after = ''; ;) {
    const page = await database.query(ctx, PAGES, [tenantOf(ctx), after, ROWS_PER_STATEMENT]);
    for (const { sha256, text } of page)
      if (person.isIn((await decompress(text as Buffer)).toString('utf8')))
        sum.pages += (await database.query(ctx, DELETE_PAGE, [tenantOf(ctx), sha256])).length;
    if (page.length < ROWS_PER_STATEMENT) return sum;
    after = page.at(-1)!.sha256;
  }
}

const RUNS = statement(
  'erase-from-go.runs',
  `SELECT r.id, r.ended_at IS NOT NULL AS ended,
     json_build_object('request', r.request, 'output', r.output, 'basis', r.basis, 'error', r.error) AS texts,
     (SELECT json_agg(json_build_object('input', s.input, 'result', s.result)) FROM go.steps s WHERE s.run_id = r.id) AS steps
   FROM go.runs r WHERE ${ofTenant('r')} AND r.id > $2 ORDER BY r.id LIMIT $3`,
).rows<{ ended: boolean }>();

const DELETE_RUN = statement(
  'erase-from-go.deleteRun',
  `DELETE FROM go.runs WHERE ${ofTenant()} AND id = $2 AND ended_at IS NOT NULL RETURNING 1`,
);

const PAGES = statement(
  'erase-from-go.pages',
  `SELECT sha256, text FROM go.pages WHERE ${ofTenant()} AND sha256 > $2 ORDER BY sha256 LIMIT $3`,
);

const DELETE_PAGE = statement(
  'erase-from-go.deletePage',
  `DELETE FROM go.pages WHERE ${ofTenant()} AND sha256 = $2 RETURNING 1`,
);

const OPEN_RUNS = statement(
  'erase-from-go.openRuns',
  `SELECT 1 AS open FROM go.runs
   WHERE ${ofTenant()} AND ended_at IS NULL AND ($2::timestamptz IS NULL OR created_at <= $2::timestamptz) LIMIT 1`,
);

/** The part of a person's erasure that covers Go runs and the pages that they have read. */
export const goErasure: ErasurePart<'go_runs' | 'go_pages' | 'in_work'> = {
  erase: async (database, ctx, person) => {
    const { runs, pages, in_work } = await eraseFromGo(database, ctx, person);
    return { go_runs: runs, go_pages: pages, in_work };
  },
  openWork: [OPEN_RUNS],
};
