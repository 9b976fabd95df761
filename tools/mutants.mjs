// The guards that keep credits, lines, runs, organisations and the edge right, each with what takes it away and the tests
// that must then object. A text stands exactly once in its file; when it no longer does, `npm run test:mutants` says so.
import { EDGE_MUTANTS } from './mutants/edge.mjs';
import { DELIVERY_MUTANTS } from './mutants/outreach-delivery.mjs';
import { OUTREACH_MUTANTS } from './mutants/outreach.mjs';
import { mutant } from './mutants/mutant.mjs';
import { GO_MUTANTS } from './mutants/go.mjs';
import { RUN_MUTANTS } from './mutants/runs.mjs';
import { TENANCY_MUTANTS } from './mutants/tenancy.mjs';

const MIGRATIONS = 'libs/kernel/postgres/src/migrations';
const CREDITS = `${MIGRATIONS}/1763700000002-credits.migration.ts`;
const RUNS = `${MIGRATIONS}/1763700000005-runs.migration.ts`;
const LINE_COST = `${MIGRATIONS}/1763700000007-line-cost.migration.ts`;
const FUNCTIONS = 'libs/kernel/postgres/src/functions';
const TRANSFERS = `${FUNCTIONS}/credits/refuse_change.sql`;
const JUDGE = `${FUNCTIONS}/credits/judge_holds.sql`;
const JUDGE_EXPIRING = `${FUNCTIONS}/credits/judge_expiring_holds.sql`;
const RESOLVE = `${FUNCTIONS}/credits/resolve_holds.sql`;
const VOID_EXPIRED = `${FUNCTIONS}/credits/void_expired_holds.sql`;
const CLAIM = `${FUNCTIONS}/jobs/claim_jobs.sql`;
const SETTLE = `${FUNCTIONS}/jobs/settle_jobs.sql`;
const CANCEL = `${FUNCTIONS}/jobs/cancel_batch.sql`;
const WORLDS = `${MIGRATIONS}/1763700000016-two-worlds.migration.ts`;
const DIRECT = 'libs/domains/fast-services/src/fast-service.runner.ts';
const CALL_BOOKS = 'libs/domains/fast-services/src/hold-batcher.ts';
const LEASES = 'libs/domains/service-jobs/src/job-lease.store.ts';
const KEYS = 'libs/kernel/postgres/src/requests/idempotent-requests.ts';
const GROUP = 'libs/kernel/postgres/src/database/write-batcher.ts';
const MATCHER = 'libs/domains/service-jobs/src/line-matcher.ts';
const ERASE_TABLES = 'libs/domains/tables/src/erasure/erase-from-tables.ts';

const LEDGER = 'libs/domains/credit-ledger/src/credit-ledger.db.spec.ts';
const LINES = 'libs/domains/service-jobs/src/service-jobs.db.spec.ts';
const SHARING = 'libs/domains/service-jobs/src/sharing.db.spec.ts';
const DIRECT_CALLS = 'libs/domains/fast-services/src/fast-service.runner.db.spec.ts';
const REQUESTS = 'libs/kernel/postgres/src/requests/idempotent-requests.db.spec.ts';
const LIMITS = 'libs/domains/credit-ledger/src/spend-limits.db.spec.ts';
const RUN_STORE = 'libs/domains/runs/src/run.store.db.spec.ts';
const EXPORTED = 'libs/domains/composition/src/person-erasure.exports.db.spec.ts';

const TENANCY = 'libs/domains/tables/src/tables.tenancy.db.spec.ts';
const RULES = 'libs/kernel/postgres/src/schema/access-rules.ts';
const WALL = 'libs/kernel/postgres/src/schema/row-security.db.spec.ts';
/** With the second wall down, the first one stands or falls alone. */
const NO_WALL = [RULES, '...(await rowSecurityOf(client)),', ''];

export const MUTANTS = [
  // Statements are refused that the schema does not know, or that have other types than the generated ones.
  mutant('claim: only a lease that has run out', LINES, 'a claim', [
    CLAIM,
    ' AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())',
    '',
  ]),
  mutant('claim: a hold before the call', LINES, 'a list of inputs', [
    CLAIM,
    'WHERE w.hold <> ALL (v_paid));',
    'WHERE false);',
  ]),
  mutant('claim: at most two attempts', LINES, 'a claim', [
    CLAIM,
    `j.attempt - j.handed_back - (j.is_begun AND j.lease_token IS NULL)::integer >= p_attempts_max
        OR j.claims`,
    'j.claims',
  ]),
  mutant('claim: at most five claims', LINES, 'a claim', [
    CLAIM,
    'OR j.claims >= p_claims_max AS lost',
    'AS lost',
  ]),
  mutant('claim: what was handed back is no loss', LINES, 'a claim', [
    CLAIM,
    'j.attempt - j.handed_back - (j.is_begun AND j.lease_token IS NULL)::integer',
    'j.attempt',
  ]),
  mutant('claim: a call that a lost worker may have made counts', LINES, 'a claim', [
    CLAIM,
    ', is_begun = j.is_begun AND j.lease_token IS NULL',
    '',
  ]),
  mutant('release: a claim is taken back', LINES, 'a claim', [
    LEASES,
    `, claims = j.claims - 1,
    handed_back`,
    `,
    handed_back`,
  ]),
  mutant('release: what was called counts by its own token', LINES, 'handed back together', [
    LEASES,
    'ON called.token = own.token WHERE',
    `ON called.token IN (
           SELECT c.token FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text) WHERE c.id = own.id) WHERE`,
  ]),
  mutant('start: the lease token', LINES, 'a claim', [
    LEASES,
    `j.lease_token = c.token AND j.state IN ('queued', 'running')
    AND j.lease_until`,
    `j.state IN ('queued', 'running')
    AND j.lease_until`,
  ]),
  mutant('start: a lease that lasts', LINES, 'a claim', [
    LEASES,
    '\n    AND j.lease_until > clock_timestamp() RETURNING',
    ' RETURNING',
  ]),
  mutant('start: answered by token', LINES, 'a claim', [
    LEASES,
    'started.has(job.token)',
    '[...started].length > 0',
  ]),
  ...[
    ['renew', 'can neither start, renew nor settle'],
    ['release', 'cannot hand back'],
  ].map(([what, tests]) =>
    mutant(`${what}: the lease token`, LINES, tests, [
      LEASES,
      "WHERE j.lease_token = c.token AND j.state IN ('queued', 'running') ORDER BY",
      "WHERE j.state IN ('queued', 'running') ORDER BY",
    ]),
  ),
  mutant('settle: the lease token', LINES, 'a claim', [
    SETTLE,
    `e.value ->> 'token' = v_tokens[array_position(v_owned, e.value ->> 'id')]`,
    `e.value ->> 'id' = ANY (v_owned)`,
  ]),
  mutant('settle: one end of a job in a statement', LINES, 'a claim', [
    LEASES,
    'const group = onePerJob(rest);',
    'const group = rest; void onePerJob;',
  ]),
  mutant('group: row by row when the statement fails', LINES, 'a claim', [
    GROUP,
    'else if (group.length === 1 || isDatabaseUnavailable(error))',
    'else if (group.length > 0)',
  ]),
  mutant('join: a running search is locked', SHARING, 'a search that two lists share', [
    MATCHER,
    '`${RUNNING} FOR SHARE`',
    'RUNNING',
  ]),
  mutant(
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
  mutant('unique: run_by_idempotency_key', RUN_STORE, 'starting a run', [
    WORLDS,
    'CREATE UNIQUE INDEX run_by_idempotency_key ON runs.runs (org_id, mode',
    'CREATE INDEX run_by_idempotency_key ON runs.runs (org_id, mode',
  ]),
  mutant('unique: one_active_run_per_conversation', RUN_STORE, 'starting a run', [
    RUNS,
    'CREATE UNIQUE INDEX one_active_run_per_conversation',
    'CREATE INDEX one_active_run_per_conversation',
  ]),
  mutant('cancel: a search that another list waits for', LINES, 'a cancelled list', [
    CANCEL,
    ' WHERE id <> ALL (v_shared)',
    '',
  ]),
  mutant('cancel: what the list began goes over with its charge', SHARING, 'goes on for the other', [
    CANCEL,
    'AND j.batch_id = p_batch AND j.hold_id IS NULL',
    'AND false',
  ]),
  mutant('tenant: the mode, in every statement', TENANCY, 'another mode', [
    'libs/kernel/postgres/src/database/tenant.ts',
    ' AND ${prefix}mode = ${TENANT_MODE}',
    '',
  ]),
  mutant(
    'tenant: the organisation, in every statement',
    TENANCY,
    'another organisation',
    ['libs/kernel/postgres/src/database/tenant.ts', '${prefix}org_id = ${TENANT_ORG} AND ', ''],
    NO_WALL,
  ),
  mutant('wall: on every table with an org_id', WALL, 'has row-level security', NO_WALL),
  mutant('wall: for the owner, too', WALL, 'to its owner neither', [RULES, ', FORCE ROW LEVEL SECURITY', '']),
  mutant('wall: all rows for the working role alone', WALL, 'working role alone', [
    RULES,
    'CREATE POLICY all_rows ON ${name} TO ${WORKING}',
    'CREATE POLICY all_rows ON ${name}',
  ]),
  mutant('foreign key: a table and its workspace have one mode', TENANCY, 'whatever a statement forgets', [
    WORLDS,
    'FOREIGN KEY (org_id, workspace_id, mode) REFERENCES tables.workspaces (org_id, id, mode);\n      ALTER TABLE tables.frozen_tables ADD',
    'CHECK (true);\n      ALTER TABLE tables.frozen_tables ADD',
  ]),
  mutant('key: one request for each', REQUESTS, 'races itself', [
    KEYS,
    'WHERE k.answer IS NULL AND k.lease_until < clock_timestamp()',
    '',
  ]),
  mutant('key: another body', REQUESTS, 'with another body', [
    KEYS,
    'if (row.body_hash !== taking.hash)',
    'if (false)',
  ]),
  mutant('key: the token of its request', REQUESTS, 'whose lease has run out', [
    KEYS,
    'AND token = $4 AND answer IS NULL RETURNING 1`',
    'AND $4::text IS NOT NULL RETURNING 1`',
  ]),
  mutant('key: a charge with its answer', DIRECT_CALLS, 'whose commit stands', [
    CALL_BOOKS,
    'await keep(tx, result);',
    'await this.database.transaction(ctx, (own) => keep(own, result));',
  ]),
  mutant('check: available_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT available_not_negative CHECK (available >= 0),',
    '',
  ]),
  mutant('check: reserved_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT reserved_not_negative CHECK (reserved >= 0),',
    '',
  ]),
  mutant('check: spent_not_negative', LEDGER, 'the ledger', [
    CREDITS,
    'CONSTRAINT spent_not_negative CHECK (spent >= 0),',
    '',
  ]),
  mutant('check: sums_agree', LEDGER, 'the ledger', [
    CREDITS,
    ',\n        CONSTRAINT sums_agree CHECK (available + reserved + spent = granted)',
    '',
  ]),
  mutant('unique: one_resolution_per_hold', LEDGER, 'the ledger', [
    CREDITS,
    'CREATE UNIQUE INDEX one_resolution_per_hold',
    'CREATE INDEX one_resolution_per_hold',
  ]),
  mutant('transfers are append-only', LEDGER, 'the ledger', [
    TRANSFERS,
    `CREATE OR REPLACE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credits.transfers
  FOR EACH STATEMENT EXECUTE FUNCTION credits.refuse_change();`,
    '',
  ]),
  mutant('post: at most the hold', LEDGER, 'the ledger', [RESOLVE, ' AND e.amount <= t.amount', '']),
  mutant('hold: within the balance', LEDGER, 'the ledger', [JUDGE, ' AND r.amount <= v_left AND', ' AND']),
  mutant('cap: of the organisation', LIMITS, 'a spend cap', [JUDGE, 'IF r.amount > v_room OR r', 'IF r']),
  mutant('cap: of the key', LIMITS, 'a spend cap', [
    JUDGE,
    ' OR r.amount > (v_rooms ->> r.key_id)::bigint THEN',
    ' THEN',
  ]),
  mutant('cap: what a group has placed', LIMITS, 'in one group', [
    JUDGE,
    'v_room := v_room - r.amount;',
    'v_room := v_room;',
  ]),
  mutant('cap: what a hold did not cost is given back, once', LIMITS, 'gets back', [
    RESOLVE,
    'WHERE s.freed > 0 AND',
    'WHERE false AND',
  ]),
  mutant('cap: the gate of a list', LINES, 'a list of inputs', [
    MATCHER,
    "if (kind === 'capped') throw capReached();",
    '',
  ]),
  mutant('cap: the key of the list that goes on', LINES, 'a list of inputs', [
    CANCEL,
    ', key_id = h.key_id',
    '',
  ]),
  mutant('hold: the account is locked', LEDGER, 'the ledger', [
    JUDGE,
    'WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;',
    'WHERE false;',
  ]),
  mutant('end of a hold: the account is locked', LEDGER, 'the ledger', [
    RESOLVE,
    `WHERE id = ANY (ARRAY(SELECT DISTINCT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds)))
    ORDER BY id FOR UPDATE;`,
    'WHERE false;',
  ]),
  mutant('expiry: only holds whose time is over', DIRECT_CALLS, 'a process that dies', [
    VOID_EXPIRED,
    'WHERE e.expires_at < clock_timestamp()\n',
    '\n',
  ]),
  mutant('expiry: never the hold of a line', DIRECT_CALLS, 'a process that dies', [
    JUDGE_EXPIRING,
    "IF jsonb_path_exists(p_holds, '$[*].job_id ? (@ != null)') THEN",
    'IF false THEN',
  ]),
  mutant('expiry: a refused posting hands nothing out', DIRECT_CALLS, 'a process that dies', [
    CALL_BOOKS,
    "if (outcomes.some(({ kind }) => kind === 'refused'))",
    'if (false)',
  ]),
  mutant('direct call: a hold before the call', DIRECT_CALLS, 'a direct call', [
    DIRECT,
    "if (kind === 'held') return id;",
    'if (kind) return id;',
  ]),
  mutant('direct call: a failure frees the hold', DIRECT_CALLS, 'a direct call', [
    DIRECT,
    'await this.free(ctx, holdId);',
    '',
  ]),
  mutant('grant: one id, one grant', 'apps/admin/src/commands.db.spec.ts', 'a grant of one id', [
    'libs/domains/composition/src/organisation.ts',
    'command.grantId === undefined ?',
    'command.grantId !== null ?',
  ]),
  ...['is written again', 'is waited for'].map((tests) =>
    mutant(`erasure: frozen tables are counted, export ${tests}`, EXPORTED, tests, [
      ERASE_TABLES,
      'SET erasures = erasures + 1 WHERE ${ofTenant()}',
      'SET erasures = erasures + 1 WHERE false AND ${ofTenant()}',
    ]),
  ),
  mutant(
    'erasure: a receipt is followed once',
    'libs/domains/privacy/src/person-erasure.db.spec.ts',
    'by one process alone',
    [
      'libs/domains/privacy/src/person-erasure.ts',
      'AND id = $2 AND ${IS_DUE} RETURNING',
      'AND id = $2 RETURNING',
    ],
  ),
  ...RUN_MUTANTS,
  ...GO_MUTANTS,
  ...TENANCY_MUTANTS,
  ...EDGE_MUTANTS,
  ...OUTREACH_MUTANTS,
  ...DELIVERY_MUTANTS,
];
