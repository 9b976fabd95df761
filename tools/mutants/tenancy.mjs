// Guards that isolate organisations, and the live and test modes of one organisation. The specs run without row-level security,
// the second barrier, because it would hide a missing predicate; row-level security has its own guards.
import { guards, TENANT } from './guards.mjs';

const POSTGRES = 'libs/kernel/postgres';
const SERVICE_JOBS = 'libs/domains/service-jobs';
const TABLES = 'libs/domains/tables';
const RUNS = 'libs/domains/runs';
const JOBS_SPEC = 'libs/domains/service-jobs/src/service-jobs.tenancy.db.spec.ts';
const TABLES_SPEC = 'libs/domains/tables/src/tables.tenancy.db.spec.ts';
/** Removes the organisation from every lookup of a function. */
const OF_ORGANISATION = { what: 'the organisation', from: /[ja]\.org_id = p_tenant\[1\] AND /g, to: '' };

const walls = [
  ...guards(POSTGRES, 'schema/access-rules.ts', 'schema/row-security.db.spec.ts', [
    ['readOnlyViewsOf', 'not written through a view', 'INSERT, UPDATE, DELETE', 'TRUNCATE'],
    ['applyAccessRules', 'has row-level security', '...(await rowSecurityOf(client)),'],
    ['rowSecurityOf', 'to its owner neither', ', FORCE ROW LEVEL SECURITY'],
    ['rowSecurityOf', 'working role alone', '${name} TO ${WORKING}', '${name}'],
  ]),
  ...guards(POSTGRES, 'migrations/1763700000016-two-worlds.migration.ts', TABLES_SPEC, [
    [
      'SeparateTwoWorlds1763700000016.up',
      'whatever a statement forgets',
      `FOREIGN KEY (org_id, workspace_id, mode) REFERENCES tables.workspaces (org_id, id, mode);
      ALTER TABLE tables.frozen_tables`,
      `CHECK (true);
      ALTER TABLE tables.frozen_tables`,
    ],
  ]),
];

const statements = [
  ...guards(POSTGRES, 'database/tenant.ts', TABLES_SPEC, [
    ['ofTenant', 'another mode', 'AND ${prefix}mode = ${TENANT_MODE}'],
    ['ofTenant', 'another organisation', '${prefix}org_id = ${TENANT_ORG} AND'],
  ]),
  ...guards('libs/domains/research', 'go/go-run.store.ts', 'go/go-agent.db.spec.ts', [
    ['READ', 'a Go run to another', TENANT],
    ['PAGE', 'a Go run to another', TENANT],
  ]),
  ...guards(RUNS, 'run.store.ts', 'runs.tenancy.db.spec.ts', [
    ['READ_RUN', 'are unknown', TENANT],
    ['EXISTS', 'are unknown', TENANT],
  ]),
  ...guards(RUNS, 'run-place.ts', 'runs.tenancy.db.spec.ts', [
    ['FIND_CONVERSATION', 'are in no conversation', TENANT],
  ]),
  ...guards(RUNS, 'plans/plan.store.ts', 'plans/plan.store.db.spec.ts', [
    ['FIND', 'is of its organisation', TENANT],
  ]),
  ...guards('libs/sources/providers', 'choices/vendor-choice.store.ts', 'choices/vendor-choices.db.spec.ts', [
    ['LIST', 'is of its organisation', TENANT],
    ['REMOVE', 'is of its organisation', TENANT],
  ]),
  ...guards(RUNS, 'run.store.ts', 'run.store.db.spec.ts', [
    ['FIND_KNOWN', 'gives one run to equal requests', TENANT],
  ]),
  ...guards(RUNS, 'execution/step-journal.ts', 'runs.tenancy.db.spec.ts', [
    ['RUN_BEFORE', 'are not what a run', TENANT],
  ]),
  ...guards(POSTGRES, 'functions/jobs/find_answers.sql', JOBS_SPEC, [
    ['find_answers', 'organisation (share|give) no', OF_ORGANISATION],
  ]),
  ...guards(SERVICE_JOBS, 'batch-json.sql.ts', 'service-jobs.tenancy.db.spec.ts', [
    ['READ_BATCH', 'are not found', TENANT],
    ['jobListSql', 'in no list of jobs', TENANT],
  ]),
  ...guards(SERVICE_JOBS, 'batch.store.ts', 'service-jobs.tenancy.db.spec.ts', [
    ['ENDS_OF', 'are not found', TENANT],
    ['READ_TRAIL', 'tell nobody', TENANT],
    ['FIND_KNOWN', 'have an Idempotency-Key', TENANT],
  ]),
  ...guards(POSTGRES, 'functions/jobs/cancel_batch.sql', JOBS_SPEC, [
    ['cancel_batch', 'organisation are not cancelled by the SQL function', 'b.org_id = p_org AND'],
  ]),
  ...guards('libs/domains/credit-ledger', 'credit-ledger.ts', 'credit-ledger.tenancy.db.spec.ts', [
    ['BALANCE', 'their own balance', TENANT],
    ['OUTLOOK', 'their own outlook', TENANT],
  ]),
  ...guards('libs/domains/credit-ledger', 'credit-statements.ts', 'credit-ledger.tenancy.db.spec.ts', [
    ['ENTRIES', 'their own entries', 't.account_id = $1', '$1::text IS NOT NULL'],
    ['CreditStatements.listEntries', 'open nothing of another', 'tenantOf(ctx)', "['', '']"],
  ]),
  ...guards(TABLES, 'workspaces/workspaces.store.ts', 'tables.tenancy.db.spec.ts', [
    ['LIST', 'names no workspace', TENANT],
    ['GET', 'getWorkspace answers an id of another', TENANT],
    ['ARCHIVE', 'archiveWorkspace answers an id', TENANT],
    ['IS_OPEN', 'names no workspace', TENANT],
    ['LOCK', 'createTable answers an id of another', TENANT],
  ]),
  ...guards(TABLES, 'tables/tables.store.ts', 'tables.tenancy.db.spec.ts', [
    ['GET', 'getTable answers an id of another', TENANT],
    ['ROWS', 'listRows answers an id of another', TENANT],
  ]),
  ...guards(TABLES, 'frozen/frozen-tables.store.ts', 'tables.tenancy.db.spec.ts', [
    ['OPEN_FROZEN_TABLE', 'listFrozenRows answers an id of another', TENANT],
  ]),
  ...guards(TABLES, 'exports/exports.store.ts', 'tables.tenancy.db.spec.ts', [
    ['OPEN_EXPORT', 'getExport answers an id of another', TENANT],
  ]),
  ...guards(TABLES, 'writer/table-head.ts', 'tables.tenancy.db.spec.ts', [
    ['IS_OWN_AND_OPEN', 'getTableSummary answers an id of another', TENANT],
  ]),
  ...guards(TABLES, 'writer/table-reader.ts', 'tables.tenancy.db.spec.ts', [
    ['LIST_NAMES', 'leaves what another tenant', TENANT],
  ]),
  ...guards(TABLES, 'tables/tables.store.ts', 'tables.namesakes.db.spec.ts', [
    ['LIST', 'list their own tables', TENANT],
    ['TablesStore.listRows', 'by a cursor of the other', 'tenantOf(ctx),', "['', ''],"],
  ]),
  ...guards(TABLES, 'frozen/table-freezer.ts', 'tables.namesakes.db.spec.ts', [
    ['FREEZE_HEAD', 'freeze their own table', TENANT],
    ['FIND', 'when they repeat the freeze', TENANT],
    ['FREEZE_ROWS', 'freezes none', 'r.org_id = $1', '$1::text IS NOT NULL'],
  ]),
  ...guards(TABLES, 'frozen/frozen-tables.store.ts', 'tables.namesakes.db.spec.ts', [
    ['FIND_ARCHIVED', 'their own archived runs', TENANT],
    ['FrozenTablesStore.listRows', 'by a cursor of the other', 'tenantOf(ctx),', "['', ''],"],
  ]),
  ...guards(TABLES, 'writer/table-writer.ts', 'tables.namesakes.db.spec.ts', [
    ['SET_COLUMNS', 'add columns to their own', TENANT],
    ['APPEND_ROWS', 'add rows to their own', TENANT],
    ['SET_FIT', 'evaluate the rows of their own', TENANT],
    ['ADD_NULLS', 'it is widened', 'org_id = $1', '$1::text IS NOT NULL'],
  ]),
  ...guards(TABLES, 'exports/exports.store.ts', 'tables.namesakes.db.spec.ts', [
    ['READ', 'read their own export', 'c.org_id = ${TENANT_ORG} AND'],
  ]),
  ...guards(TABLES, 'tables/row-page.ts', 'tables.namesakes.db.spec.ts', [
    ['rowPage', 'in a page', 'r.org_id = ${TENANT_ORG} AND'],
  ]),
  ...guards(TABLES, 'writer/table-reader.ts', 'tables.namesakes.db.spec.ts', [
    ['READ_ROWS', 'to its agent', 'r.org_id = $1', '$1::text IS NOT NULL'],
    ['PROFILE', 'tells none', 'org_id = $1', '$1::text IS NOT NULL'],
  ]),
  ...guards(TABLES, 'exports/table-copy-out.ts', 'tables.namesakes.db.spec.ts', [
    ['sourceOf', 'exports none', 'r.org_id = ${quote(orgId)} AND'],
  ]),
  ...guards(TABLES, 'exclusions/exclusion-matcher.ts', 'exclusions/exclusions.db.spec.ts', [
    ['FIND_EXCLUDED', 'match each its own', TENANT],
  ]),
  ...guards(TABLES, 'exclusions/exclusions.store.ts', 'exclusions/exclusions.db.spec.ts', [
    ['LIST', 'show each its own entries', TENANT],
    ['DELETE_NAMED', 'lose nothing that the other', TENANT],
    ['PLAN_SYNC', 'foresee of a sync', TENANT],
    ['DROP_UNNAMED', 'keep their entries', "${ofTenant('e')}", '$1::text[] IS NOT NULL'],
  ]),
  ...guards(POSTGRES, 'requests/idempotent-requests.ts', 'requests/idempotent-requests.db.spec.ts', [
    ['FIND', 'answered from its own', TENANT],
  ]),
  ...guards('libs/domains/identity', 'identity.store.ts', 'identity.store.db.spec.ts', [
    ['INSERT_KEY', 'gives a key to the first', 'org_id = $5', '$5::text IS NOT NULL'],
    ['MODE_OF_KEY', 'tells the mode of a key', 'org_id = $1', '$1::text IS NOT NULL'],
  ]),
  ...guards('libs/kernel/app', 'cursor/signed-cursor.ts', 'cursor/signed-cursor.spec.ts', [
    [
      'CursorSigner.openCursor',
      'any one character',
      'timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, binding, position))',
      'macOf(key, binding, position) && timingSafeEqual',
    ],
    ['macOf', 'opens nothing for another', ', binding.tenant'],
  ]),
  ...guards('libs/edge/mcp', 'page-cursors.ts', 'libs/edge/controllers/src/api/mcp.db.spec.ts', [
    ['bindingOf', 'of another tenant or list', 'JSON.stringify(of)', "''"],
  ]),
];

export const TENANCY_MUTANTS = [...walls, ...statements.map((each) => ({ ...each, isBehindWall: true }))];
