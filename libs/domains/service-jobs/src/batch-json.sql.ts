import type { Batch, Job, JobStatus, JsonText } from '@quarry/dto';
import { JOB_ERROR_CODES } from '@quarry/error-codes';
import { isoTime, ofTenant, TENANT_ORG } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Codes after which the same input may succeed later; a parameter of the statements below. */
export const RETRYABLE_CODES = Object.entries(JOB_ERROR_CODES)
  .filter(([, { retryable }]) => retryable)
  .map(([code]) => code);

// A line is cancelled only before its job has started; whatever happens to the job later does not concern it.
const ofLine = (column: string, otherwise: string): string =>
  `CASE WHEN l.cancelled_at IS NULL THEN ${column} ELSE ${otherwise} END`;
const LINE_FIELDS = `
  'job_id', j.id, 'input_index', l.input_index, 'service', j.service, 'status', ${ofLine('j.state', "'cancelled'")},
  'attempt', ${ofLine('j.attempt', '0')}, 'reused', l.reused`;
const LINE_TIMES = `
  'created_at', ${isoTime('j.created_at')}, 'started_at', ${ofLine(isoTime('j.started_at'), 'NULL')},
  'completed_at', ${isoTime('coalesce(l.cancelled_at, j.completed_at)')}`;

/**
 * The batch as the API shows it, as one JSON text that nothing parses on the way to the client. Parameters: $1 tenant, $2 batch,
 * $3 retryable codes. A line has `result` only when completed and `error` only when failed. Prepared: a client that waits for a
 * batch reads it twice, and planning the statement costs as much as running it.
 */
export const READ_BATCH = statement(
  'batch-json.read',
  `
  SELECT b.completed_at IS NOT NULL AS done, b.revision, json_build_object(
    'ok', true, 'batch_id', b.id, 'service', b.service, 'size', b.size,
    'status', CASE WHEN b.completed_at IS NOT NULL THEN 'completed' WHEN x.counts ->> 'queued' = b.size::text THEN 'queued' ELSE 'running' END,
    'counts', x.counts, 'jobs', x.jobs, 'poll_url', '/v1/services/jobs/batch/' || b.id)::text AS json
  FROM jobs.batches b, LATERAL (
    SELECT json_build_object(
        'queued', count(*) FILTER (WHERE s.state = 'queued'), 'running', count(*) FILTER (WHERE s.state = 'running'),
        'completed', count(*) FILTER (WHERE s.state = 'completed'), 'failed', count(*) FILTER (WHERE s.state = 'failed'),
        'cancelled', count(*) FILTER (WHERE s.state = 'cancelled')) AS counts,
      json_agg(s.line ORDER BY s.input_index) AS jobs
    FROM (
      SELECT l.input_index, ${ofLine('j.state', "'cancelled'")} AS state,
        CASE
          WHEN l.cancelled_at IS NULL AND j.state = 'completed'
            THEN json_build_object(${LINE_FIELDS}, 'result', j.result, ${LINE_TIMES})
          WHEN l.cancelled_at IS NULL AND j.state = 'failed'
            THEN json_build_object(${LINE_FIELDS}, 'error', json_build_object('code', j.error ->> 'code',
              'message', j.error ->> 'message', 'retryable', j.error ->> 'code' = ANY ($3::text[])), ${LINE_TIMES})
          ELSE json_build_object(${LINE_FIELDS}, ${LINE_TIMES})
        END AS line
      FROM jobs.lines l JOIN jobs.jobs j ON j.id = l.job_id WHERE l.batch_id = b.id
    ) s
  ) x
  WHERE ${ofTenant('b')} AND b.id = $2`,
)
  .rows<{ done: boolean; json: JsonText<typeof Batch> }>()
  .prepared();

/**
 * Tells whether a batch has ended, and its revision, which counts how often content was removed from its lines. Parameters:
 * tenant, batch.
 */
export const READ_STATE = statement(
  'batch-json.readState',
  `SELECT b.completed_at IS NOT NULL AS done, b.revision FROM jobs.batches b WHERE b.id = $2 AND ${ofTenant('b')}`,
)
  .rows<{ done: boolean }>()
  .prepared();

/** CTE that raises the revision of every batch with a line in `emptied`, the CTE before it. */
export const COUNT_REVISIONS = `counted AS (
    UPDATE jobs.batches b SET revision = b.revision + 1
    WHERE b.id = ANY (ARRAY(SELECT l.batch_id FROM emptied e JOIN jobs.lines l ON l.job_id = e.id)))`;

/**
 * Condition for each status, in the exact words of its partial index, so that an index-only scan can be used. Statuses of open
 * lines have no index (docs/performance.md, Bookkeeping).
 */
const STATE_CONDITIONS: Readonly<Record<JobStatus, string>> = {
  queued: 'j.completed_at IS NULL AND j.state = $2',
  running: 'j.completed_at IS NULL AND j.state = $2',
  completed: 'j.completed_at IS NOT NULL AND j.error IS NULL AND j.provider IS NOT NULL',
  failed: 'j.completed_at IS NOT NULL AND j.error IS NOT NULL',
  cancelled: 'j.completed_at IS NOT NULL AND j.error IS NULL AND j.provider IS NULL',
};

/** A batch has at most a hundred lines: they are read first, whatever the planner thinks of the requested order. */
const JOBS_OF_BATCH = `(SELECT * FROM jobs.jobs
  WHERE id = ANY (ARRAY(SELECT l.job_id FROM jobs.lines l WHERE l.batch_id = $4 AND l.org_id = ${TENANT_ORG})) OFFSET 0)`;

/** Finds the page by index before it reads the rows and writes them as JSON, so that an offset costs only index steps. */
const jobListSql = (status: JobStatus | null, isOfBatch: boolean): string => `
  SELECT json_build_object('ok', true, 'job_id', j.id, 'service', j.service, 'status', j.state, 'attempt', j.attempt,
    'result', j.result, 'error', CASE WHEN j.error IS NOT NULL THEN json_build_object('code', j.error ->> 'code', 'message', j.error ->> 'message') END,
    'created_at', ${isoTime('j.created_at')}, 'started_at', ${isoTime('j.started_at')}, 'completed_at', ${isoTime('j.completed_at')},
    'poll_url', '/v1/services/jobs/batch/' || j.batch_id)::text AS json
  FROM (
    SELECT j.id, j.created_at FROM ${isOfBatch ? JOBS_OF_BATCH : 'jobs.jobs'} j
    WHERE ${ofTenant('j')} AND ${status === null ? 'true' : STATE_CONDITIONS[status]} AND ($2::text IS NULL OR true)
      AND ($3::text IS NULL OR j.service = $3) AND ($4::text IS NULL OR true)
    ORDER BY j.created_at DESC, j.id DESC LIMIT $5 OFFSET $6) page
  JOIN jobs.jobs j ON j.id = page.id
  ORDER BY page.created_at DESC, page.id DESC`;

const listStatement = (name: JobStatus | 'any', isOfBatch: boolean) =>
  statement(
    `batch-json.listJobs.${name}.${isOfBatch ? 'ofBatch' : 'ofAll'}`,
    jobListSql(name === 'any' ? null : name, isOfBatch),
  ).rows<{ json: JsonText<typeof Job> }>();

const JOB_LISTS = Object.fromEntries(
  (['any', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const).map((name) => [
    name,
    { ofAll: listStatement(name, false), ofBatch: listStatement(name, true) },
  ]),
) as Record<JobStatus | 'any', Record<'ofAll' | 'ofBatch', ReturnType<typeof listStatement>>>;

/** @returns the statement for one page of the job list. Parameters: tenant, status, service, batch, limit + 1, offset. */
export function jobList(status: JobStatus | null, batchId: string | null): ReturnType<typeof listStatement> {
  return JOB_LISTS[status ?? 'any'][batchId === null ? 'ofAll' : 'ofBatch'];
}
