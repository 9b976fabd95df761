import type { Ctx } from '@quarry/app';
import {
  erasurePages,
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
} from '@quarry/postgres';
import { COUNT_REVISIONS } from './batch-json.sql.js';
import { statement } from './statements.types.js';

const LINES_PER_STATEMENT = 5000;

/**
 * Empties lines of the context's organisation and mode whose request or result names a person, like the retention does later:
 * they cannot be reused any more, and the ledger keeps their prices. May be repeated.
 * @returns `lines`: emptied; `in_work`: lines about the person that are open and were left unchanged
 */
export async function eraseFromLines(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
): Promise<{ lines: number; in_work: number }> {
  const sum = { lines: 0, in_work: 0 };
  const pages = erasurePages(LINES_PER_STATEMENT, (before) =>
    database.query(ctx, READ_PAGE[person.sought], [tenantOf(ctx), ...before, person.patterns]),
  );
  for await (const page of pages) {
    const named = page.filter(({ found }) => found !== null && person.isIn(found));
    const emptied =
      named.length === 0
        ? []
        : await database.query(ctx, EMPTY_LINES, [tenantOf(ctx), named.map(({ id }) => id)]);
    sum.lines += emptied.length;
    sum.in_work += named.length - emptied.length;
  }
  return sum;
}

const EMPTY_LINES = statement(
  'erase-from-lines.emptyLines',
  `
  WITH emptied AS (
    UPDATE jobs.jobs SET input = NULL, result = NULL, trail = NULL, vendor_job = NULL, share_key = NULL, reuse_key = NULL, emptied_at = clock_timestamp()
    WHERE ${ofTenant()} AND id = ANY ($2) AND completed_at IS NOT NULL RETURNING id),
  ${COUNT_REVISIONS}
  SELECT id FROM emptied`,
);

const READ_PAGE = lookingForPerson((by, condition) =>
  statement(
    `erase-from-lines.readPage.${by}`,
    `SELECT id, at, CASE WHEN ${condition('text', '$4')} THEN json_build_array(input, result, error) END AS found FROM (
       SELECT id, created_at::text AS at, input, result, error, concat(input, ' ', result, ' ', error) AS text FROM jobs.jobs
       WHERE ${ofTenant()} AND ($2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::text))
       ORDER BY created_at DESC, id DESC LIMIT ${LINES_PER_STATEMENT}) AS page`,
  ).rows<{ at: string }>(),
);

const OPEN_JOBS = statement(
  'erase-from-lines.openJobs',
  `SELECT 1 AS open FROM jobs.jobs
   WHERE ${ofTenant()} AND state IN ('queued', 'running') AND ($2::timestamptz IS NULL OR created_at <= $2::timestamptz) LIMIT 1`,
);

/** Erases a person from lines. */
export const lineErasure: ErasurePart<'lines' | 'in_work'> = { erase: eraseFromLines, openWork: [OPEN_JOBS] };
