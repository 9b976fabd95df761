import { systemCtx, type Database } from '@quarry/platform';

/**
 * What must hold whenever the product is quiet, whatever happened to it before. Each check is one statement that
 * finds the rows that break it.
 */
const CHECKS: Readonly<Record<string, string>> = {
  'an account agrees with its transfers, and nothing is below zero': `
    SELECT a.id FROM credits.accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(t.amount) FILTER (WHERE t.kind IN ('grant', 'adjustment')), 0) AS granted,
        coalesce(sum(t.amount) FILTER (WHERE t.kind = 'post'), 0) AS spent
      FROM credits.transfers t WHERE t.account_id = a.id
    ) s
    WHERE a.granted <> s.granted OR a.spent <> s.spent OR a.available + a.reserved + a.spent <> a.granted OR least(a.available, a.reserved) < 0`,
  'nothing is held for a line that has ended, and every hold has at most one end': `
    SELECT h.id FROM credits.transfers h LEFT JOIN credits.transfers e ON e.hold_id = h.id
    LEFT JOIN jobs.jobs j ON j.id = h.job_id
    WHERE h.kind = 'hold' GROUP BY h.id, j.state
    HAVING count(e.id) > 1 OR (count(e.id) = 0 AND j.state NOT IN ('queued', 'running'))`,
  'a charge belongs to a completed line, or is the miss price of the Deep agent': `
    SELECT p.id FROM credits.transfers p JOIN jobs.jobs j ON j.id = p.job_id
    WHERE p.kind = 'post' AND j.state <> 'completed' AND NOT coalesce((j.input ->> 'deep')::boolean, false)`,
  'a find has exactly one charge, of its price': `
    SELECT j.id FROM jobs.jobs j LEFT JOIN credits.transfers p ON p.job_id = j.id AND p.kind = 'post'
    WHERE j.state = 'completed' AND (j.result ->> 'found')::boolean GROUP BY j.id, j.price
    HAVING count(p.id) <> 1 OR sum(p.amount) > j.price`,
  'a completed line has a result, a failed one an error': `
    SELECT id FROM jobs.jobs WHERE emptied_at IS NULL AND (
      (state = 'completed' AND (result IS NULL OR error IS NOT NULL)) OR (state = 'failed' AND (error IS NULL OR result IS NOT NULL)))`,
  'a batch has all its lines, and has ended exactly when each of them has': `
    SELECT b.id FROM jobs.batches b LEFT JOIN jobs.lines l ON l.batch_id = b.id LEFT JOIN jobs.jobs j ON j.id = l.job_id
    GROUP BY b.id
    HAVING count(l.input_index) <> b.size
      OR b.open_lines <> count(*) FILTER (WHERE l.cancelled_at IS NULL AND j.state IN ('queued', 'running'))
      OR (b.completed_at IS NULL) <> (b.open_lines > 0)`,
  'a line was attempted at most twice and claimed at most five times':
    'SELECT id FROM jobs.jobs WHERE attempt > 2 OR claims > 5',
};

/** Runs every check. @returns the checks that do not hold, each with the first rows that break it */
export async function brokenInvariants(database: Database): Promise<Record<string, string[]>> {
  const broken: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(CHECKS)) {
    const rows = await database.query<{ id: string }>(systemCtx('checker'), `${sql} LIMIT 5`);
    if (rows.length > 0) broken[name] = rows.map((row) => row.id);
  }
  return broken;
}
