// The guards that keep credits and lines right, each with what takes it away and the tests that must then object.
// A text stands exactly once in its file; when it no longer does, `npm run test:guards` says so.

const MIGRATIONS = 'libs/platform/src/database/migrations';
const CREDITS = `${MIGRATIONS}/1763700000002-credits.migration.ts`;
const JOBS = `${MIGRATIONS}/1763700000004-jobs.migration.ts`;
const RUNS = `${MIGRATIONS}/1763700000005-runs.migration.ts`;
const CANCEL = `${MIGRATIONS}/1763700000008-search-handover.migration.ts`;
/** Where the functions of a line's life have their latest text. */
const LINE_COST = `${MIGRATIONS}/1763700000007-line-cost.migration.ts`;
const EXPIRY = `${MIGRATIONS}/1763700000010-expiring-holds.migration.ts`;
const DIRECT = 'libs/fast-services/src/fast-service.runner.ts';
const LEASES = 'libs/service-jobs/src/job-lease.store.ts';
const GROUP = 'libs/service-jobs/src/statement-group.ts';
const MATCHER = 'libs/service-jobs/src/line-matcher.ts';

const LEDGER = 'libs/credit-ledger/src/credit-ledger.db.spec.ts';
const LINES = 'libs/service-jobs/src/service-jobs.db.spec.ts';
const SHARING = 'libs/service-jobs/src/sharing.db.spec.ts';
const DIRECT_CALLS = 'libs/fast-services/src/fast-service.runner.db.spec.ts';
const RUN_STORE = 'libs/runs/src/run.store.db.spec.ts';

const guard = (name, spec, tests, ...edits) => ({
  name,
  spec,
  tests,
  edits: edits.map(([file, text, without]) => ({ file, text, without })),
});

/** `tests`: the part of the spec that is run, as a pattern of Jest's -t. */
export const GUARDS = [
  guard('claim: only a lease that has run out', LINES, 'a claim', [
    LINE_COST,
    ' AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())',
    '',
  ]),
  guard('claim: a hold before the call', LINES, 'a list of inputs', [
    LINE_COST,
    'WHERE w.hold <> ALL (v_paid));',
    'WHERE false);',
  ]),
  guard('claim: at most two attempts', LINES, 'a claim', [
    LINE_COST,
    'j.attempt >= p_attempts_max OR j.claims >= p_claims_max AS lost',
    'j.claims >= p_claims_max AS lost',
  ]),
  guard('claim: at most five claims', LINES, 'a claim', [
    LINE_COST,
    'j.attempt >= p_attempts_max OR j.claims >= p_claims_max AS lost',
    'j.attempt >= p_attempts_max AS lost',
  ]),
  guard('start: the lease token', LINES, 'a claim', [
    LEASES,
    `j.lease_token = c.token AND j.state IN ('queued', 'running')
         AND j.lease_until`,
    `j.state IN ('queued', 'running')
         AND j.lease_until`,
  ]),
  guard('start: a lease that lasts', LINES, 'a claim', [
    LEASES,
    '\n         AND j.lease_until > clock_timestamp() RETURNING',
    ' RETURNING',
  ]),
  guard('start: answered by token', LINES, 'a claim', [
    LEASES,
    'started.has(job.token)',
    '[...started].length > 0',
  ]),
  guard('renew, release: the lease token', LINES, 'a claim', [
    LEASES,
    `WHERE j.lease_token = c.token AND j.state`,
    `WHERE j.state`,
  ]),
  guard('settle: the lease token', LINES, 'a claim', [
    LINE_COST,
    `e.value ->> 'token' = v_tokens[array_position(v_owned, e.value ->> 'id')]`,
    `e.value ->> 'id' = ANY (v_owned)`,
  ]),
  guard('settle: one end of a job in a statement', LINES, 'a claim', [
    LEASES,
    'const group = onePerJob(rest);',
    'const group = rest; void onePerJob;',
  ]),
  guard('group: row by row when the statement fails', LINES, 'a claim', [
    GROUP,
    'if (group.length === 1) return group[0]!.reject(error);',
    'if (group.length > 0) return group.forEach(({ reject }) => reject(error));',
  ]),
  guard('join: a running search is locked', SHARING, 'a search that two lists share', [
    MATCHER,
    `\${purpose === 'join' ? 'FOR SHARE' : ''}`,
    '',
  ]),
  guard(
    'unique: one_running_search_per_input',
    SHARING,
    'begins once',
    [
      LINE_COST,
      `UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND completed_at`,
      `INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND completed_at`,
    ],
    // Without the index there is nothing that the clause could name.
    [
      MATCHER,
      `ON CONFLICT (org_id, mode, service, share_key) WHERE share_key IS NOT NULL AND completed_at IS NULL DO NOTHING`,
      '',
    ],
  ),
  guard('unique: batch_by_idempotency_key', LINES, 'a list of inputs', [
    JOBS,
    'CREATE UNIQUE INDEX batch_by_idempotency_key',
    'CREATE INDEX batch_by_idempotency_key',
  ]),
  guard('unique: run_by_idempotency_key', RUN_STORE, 'starting a run', [
    RUNS,
    'CREATE UNIQUE INDEX run_by_idempotency_key',
    'CREATE INDEX run_by_idempotency_key',
  ]),
  guard('unique: one_active_run_per_conversation', RUN_STORE, 'starting a run', [
    RUNS,
    'CREATE UNIQUE INDEX one_active_run_per_conversation',
    'CREATE INDEX one_active_run_per_conversation',
  ]),
  guard('cancel: a search that another list waits for', LINES, 'a cancelled list', [
    CANCEL,
    ' WHERE id <> ALL (v_shared)',
    '',
  ]),
  guard('cancel: what the list began goes over with its charge', SHARING, 'goes on for the other', [
    CANCEL,
    'AND j.batch_id = p_batch AND j.hold_id IS NULL',
    'AND false',
  ]),
  guard('check: available_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT available_not_negative CHECK (available >= 0),',
    '',
  ]),
  guard('check: reserved_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT reserved_not_negative CHECK (reserved >= 0),',
    '',
  ]),
  guard('check: spent_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT spent_not_negative CHECK (spent >= 0),',
    '',
  ]),
  guard('check: sums_agree', LEDGER, 'the ledger', [
    CREDITS,
    ',\n        CONSTRAINT sums_agree CHECK (available + reserved + spent = granted)',
    '',
  ]),
  guard('unique: one_resolution_per_hold', LEDGER, 'the ledger', [
    CREDITS,
    'CREATE UNIQUE INDEX one_resolution_per_hold',
    'CREATE INDEX one_resolution_per_hold',
  ]),
  guard('transfers are append-only', LEDGER, 'the ledger', [
    CREDITS,
    `CREATE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credits.transfers
        FOR EACH STATEMENT EXECUTE FUNCTION credits.refuse_change();`,
    '',
  ]),
  guard('post: at most the hold', LEDGER, 'the ledger', [LINE_COST, ' AND e.amount <= t.amount', '']),
  guard('hold: within the balance', LEDGER, 'the ledger', [LINE_COST, ' AND r.amount <= v_left AND', ' AND']),
  guard('hold: the account is locked', LEDGER, 'the ledger', [
    LINE_COST,
    'WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;',
    'WHERE false;',
  ]),
  guard('end of a hold: the account is locked', LEDGER, 'the ledger', [
    LINE_COST,
    `WHERE id = ANY (ARRAY(SELECT DISTINCT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds)))
          ORDER BY id FOR UPDATE;`,
    'WHERE false;',
  ]),
  guard('expiry: only holds whose time is over', DIRECT_CALLS, 'a process that dies', [
    EXPIRY,
    'WHERE e.expires_at < clock_timestamp()\n',
    '\n',
  ]),
  guard('expiry: never the hold of a line', DIRECT_CALLS, 'a process that dies', [
    EXPIRY,
    "IF p_hold ->> 'job_id' IS NOT NULL THEN",
    'IF false THEN',
  ]),
  guard('expiry: a refused posting hands nothing out', DIRECT_CALLS, 'a process that dies', [
    DIRECT,
    "if (kind === 'refused')",
    'if (false)',
  ]),
  guard('direct call: a hold before the call', DIRECT_CALLS, 'a direct call', [
    DIRECT,
    "if (kind === 'held') return id;",
    'if (kind) return id;',
  ]),
  guard('direct call: a failure frees the hold', DIRECT_CALLS, 'a direct call', [
    DIRECT,
    'await this.free(ctx, lineId);',
    '',
  ]),
];
