import { JOB_ERROR_CODES } from '@quarry/error-codes';
import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';

const LISTED_CODES = Object.keys(JOB_ERROR_CODES)
  .map((code) => `'${code}'`)
  .join(', ');

/** Invariant that holds only while a reconciler runs; a spec of stores alone excludes it. */
export const DELIVERED_LATELY = 'an open line has a lease or was delivered lately';

/**
 * Statements that must return no row whenever the product is idle, whatever happened before: each returns the rows that
 * violate an invariant. StateSampler, LeaseAudit and ClientHistory detect violations that are only visible while things
 * happen.
 */
const CHECKS: Readonly<Record<string, string>> = {
  'an account agrees with its transfers, and nothing is below zero': `
    SELECT a.id FROM credits.accounts a LEFT JOIN (
      SELECT account_id, sum(amount) FILTER (WHERE kind IN ('grant', 'adjustment')) AS granted,
        sum(amount) FILTER (WHERE kind = 'post') AS spent
      FROM credits.transfers GROUP BY account_id
    ) s ON s.account_id = a.id
    WHERE a.granted <> coalesce(s.granted, 0) OR a.spent <> coalesce(s.spent, 0) OR a.available + a.reserved + a.spent <> a.granted OR least(a.available, a.reserved) < 0`,
  'what an account has reserved are its holds without an end': `
    SELECT a.id FROM credits.accounts a LEFT JOIN credits.transfers h ON h.account_id = a.id AND h.kind = 'hold'
      AND NOT EXISTS (SELECT 1 FROM credits.transfers e WHERE e.hold_id = h.id)
    GROUP BY a.id HAVING a.reserved <> coalesce(sum(h.amount), 0)`,
  'nothing is held for a line that has ended, and every hold has at most one end, of at most its amount': `
    SELECT h.id FROM credits.transfers h LEFT JOIN credits.transfers e ON e.hold_id = h.id
    LEFT JOIN jobs.jobs j ON j.id = h.job_id
    WHERE h.kind = 'hold' GROUP BY h.id, j.state
    HAVING count(e.id) > 1 OR sum(e.amount) > h.amount OR (count(e.id) = 0 AND j.state NOT IN ('queued', 'running'))`,
  'a search has at most one hold': `
    SELECT job_id AS id FROM credits.transfers WHERE kind = 'hold' AND job_id IS NOT NULL GROUP BY job_id HAVING count(*) > 1`,
  'a search is charged at most once': `
    SELECT job_id AS id FROM credits.transfers WHERE kind = 'post' AND job_id IS NOT NULL GROUP BY job_id HAVING count(*) > 1`,
  'a charge belongs to a completed line, or is the miss price of the Deep agent': `
    SELECT p.id FROM credits.transfers p JOIN jobs.jobs j ON j.id = p.job_id
    WHERE p.kind = 'post' AND p.amount > 0 AND j.state <> 'completed' AND NOT coalesce((j.input ->> 'deep')::boolean, false)`,
  'a find has exactly one charge, of its price': `
    SELECT j.id FROM jobs.jobs j LEFT JOIN credits.transfers p ON p.job_id = j.id AND p.kind = 'post'
    WHERE j.state = 'completed' AND (j.result ->> 'found')::boolean GROUP BY j.id, j.price
    HAVING count(p.id) <> 1 OR sum(p.amount) > j.price`,
  'a completed line has a result, a failed one an error with a listed code': `
    SELECT id FROM jobs.jobs WHERE emptied_at IS NULL AND (
      (state = 'completed' AND (result IS NULL OR error IS NOT NULL)) OR
      (state = 'failed' AND (error IS NULL OR result IS NOT NULL OR error ->> 'code' NOT IN (${LISTED_CODES}))))`,
  'a batch has all its lines in order, and has ended exactly when each of them has': `
    SELECT b.id FROM jobs.batches b LEFT JOIN jobs.lines l ON l.batch_id = b.id LEFT JOIN jobs.jobs j ON j.id = l.job_id
    GROUP BY b.id
    HAVING count(l.input_index) <> b.size OR max(l.input_index) <> b.size - 1
      OR b.open_lines <> count(*) FILTER (WHERE l.cancelled_at IS NULL AND j.state IN ('queued', 'running'))
      OR (b.completed_at IS NULL) <> (b.open_lines > 0)`,
  'a line has a start exactly when it was attempted':
    'SELECT id FROM jobs.jobs WHERE (started_at IS NULL) <> (attempt = 0)',
  'a line was attempted at most twice and claimed at most five times, beside what was handed back':
    'SELECT id FROM jobs.jobs WHERE attempt - handed_back > 2 OR claims > 5 OR least(claims, handed_back) < 0',
  [DELIVERED_LATELY]: `
    SELECT id FROM jobs.jobs WHERE state IN ('queued', 'running') AND delivered_at < clock_timestamp() - interval '60 seconds'
      AND (lease_until IS NULL OR lease_until < clock_timestamp() - interval '60 seconds')`,
  'a conversation has at most one run that goes on': `
    SELECT conversation_id AS id FROM runs.runs WHERE status NOT IN ('completed', 'failed', 'cancelled')
    GROUP BY conversation_id HAVING count(*) > 1`,
};

/** Runs every check. @returns the violated checks, each with the first rows that violate it */
export async function brokenInvariants(
  database: Database,
  options: { leaveOut?: string } = {},
): Promise<Record<string, string[]>> {
  const broken: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(CHECKS)) {
    if (name === options.leaveOut) continue;
    const rows = await database.query<{ id: string }>(systemCtx('checker'), `${sql} LIMIT 5`);
    if (rows.length > 0) broken[name] = rows.map((row) => row.id);
  }
  return broken;
}

/** A call that a provider received. */
export interface ProviderCallRecord {
  searchId: string;
  /** True if it ended in a way that allows one retry by the same search: 408, 429, 5xx or a broken connection. */
  isRepeatable?: boolean;
}

/**
 * Compares the attempts of each job with the searches that its provider received; the one retry of a call with a
 * temporary failure belongs to its search. A search without an attempt is always a fault. An attempt is recorded before
 * its call, so a worker that is lost between the two leaves an attempt without a call: at most one per loss. A worker that
 * hands a job back also takes its claim back, which is no loss.
 * @param spareAttempts additional attempts without a call
 * @param service the one that this provider serves
 */
export async function brokenAttempts(
  database: Database,
  calls: readonly ProviderCallRecord[],
  spareAttempts: number,
  service = 'getEmail',
): Promise<string[]> {
  const lines = await database.query<{ id: string; attempt: number; losses: number }>(
    systemCtx('checker'),
    `SELECT id, attempt, greatest(claims - 1, 0) + (coalesce(error ->> 'code', '') = 'worker_lost')::int AS losses
     FROM jobs.jobs WHERE service = $1`,
    [service],
  );
  const attempts = new Map(lines.map(({ id, attempt }) => [id, attempt]));
  const seen = searchesByLine(calls);
  const extra = [...seen].filter(([id, count]) => count > (attempts.get(id) ?? 0));
  const silent = lines.flatMap(({ id, attempt, losses }) => {
    const count = attempt - (seen.get(id) ?? 0) - losses;
    return count > 0 ? [{ id, count }] : [];
  });
  const isTooSilent = silent.reduce((sum, { count }) => sum + count, 0) > spareAttempts;
  return [
    ...extra.map(([id, count]) => `${id}: ${count} searches, ${attempts.get(id) ?? 0} attempts`),
    ...(isTooSilent ? silent.map(({ id, count }) => `${id}: ${count} attempts without a call`) : []),
  ].slice(0, 10);
}

/** Counts calls by job, without those that repeat the previous one. */
function searchesByLine(calls: readonly ProviderCallRecord[]): Map<string, number> {
  const searches = new Map<string, number>();
  const mayRepeat = new Set<string>();
  for (const { searchId, isRepeatable = false } of calls) {
    if (mayRepeat.delete(searchId)) continue;
    searches.set(searchId, (searches.get(searchId) ?? 0) + 1);
    if (isRepeatable) mayRepeat.add(searchId);
  }
  return searches;
}
