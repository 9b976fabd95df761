// Guards that keep organisations apart, and in one organisation its live from its test world: the predicate of each
// statement, the keys that answers are shared under, and the tenant that a cursor is bound to. Their specs run without
// row-level security, the second wall, which would hide a predicate that is missing; the wall has guards of its own.
import { mutant, hiddenMutant } from './mutant.mjs';

const RUN_STORE = 'libs/domains/runs/src/run.store.ts';
const JOURNAL = 'libs/domains/runs/src/agent/step-journal.ts';
const RUNS = 'libs/domains/runs/src/runs.tenancy.db.spec.ts';

const BATCHES = 'libs/domains/service-jobs/src/batch.store.ts';
const BATCH_SQL = 'libs/domains/service-jobs/src/batch-json.sql.ts';
const MATCHER = 'libs/domains/service-jobs/src/line-matcher.ts';
const JOBS = 'libs/domains/service-jobs/src/service-jobs.tenancy.db.spec.ts';
const CANCEL = 'libs/kernel/postgres/src/functions/jobs/cancel_batch.sql';

const CHOICES = 'libs/sources/providers/src/choices/vendor-choices.db.spec.ts';

const LEDGER = 'libs/domains/credit-ledger/src/credit-ledger.ts';
const STATEMENTS = 'libs/domains/credit-ledger/src/credit-statements.ts';
const CREDITS = 'libs/domains/credit-ledger/src/credit-ledger.tenancy.db.spec.ts';

const TABLES_LIBRARY = 'libs/domains/tables/src';
const TENANCY = `${TABLES_LIBRARY}/tables.tenancy.db.spec.ts`;
const NAMESAKES = `${TABLES_LIBRARY}/tables.namesakes.db.spec.ts`;
const LISTS = `${TABLES_LIBRARY}/exclusions/exclusions.db.spec.ts`;

const KEYS = 'libs/kernel/postgres/src/requests/idempotent-requests.ts';
const REQUESTS = 'libs/kernel/postgres/src/requests/idempotent-requests.db.spec.ts';
const IDENTITY = 'libs/domains/identity/src/identity.store.ts';
const IDENTITIES = 'libs/domains/identity/src/identity.store.db.spec.ts';
const CURSOR = 'libs/kernel/app/src/cursor/signed-cursor.ts';
const CURSORS = 'libs/kernel/app/src/cursor/signed-cursor.spec.ts';

const PREDICATE = /\$\{ofTenant\([^)]*\)\}/;

/** @returns the edit of a statement that forgets its tenant; `text` is the part of it with the predicate */
const forgets = (file, text, predicate = '$1::text[] IS NOT NULL') => [
  file,
  text,
  text.replace(PREDICATE, () => predicate),
];

/** Guards of one file: name, the part of the statement with the predicate, and the tests of the spec. */
const statements = (file, spec, rows) =>
  rows.map(([name, text, tests]) => mutant(`tenant of ${name}`, spec, tests, forgets(file, text)));

const READ_RUN =
  "AS json FROM runs.runs r WHERE ${ofTenant('r')} AND r.id = $2 AND ${isInOpenWorkspace('r')}`,\n)\n  .rows";
const READ_BATCH = "WHERE ${ofTenant('b')} AND b.id = $2";
const LIST_JOBS = "WHERE ${ofTenant('j')} AND ${status === null";

const runs = [
  ...statements(RUN_STORE, RUNS, [
    ['a run that is read', READ_RUN, 'are unknown'],
    ['a run that others ask for', "SELECT 1 FROM runs.runs r WHERE ${ofTenant('r')}", 'are unknown'],
  ]),
  hiddenMutant(
    'tenant of a list of runs, behind that of their workspaces',
    RUNS,
    'are in no list',
    [forgets('libs/domains/runs/src/open-workspace.sql.ts', "WHERE ${ofTenant('w')}")],
    forgets(RUN_STORE, "WHERE ${ofTenant('r')} AND ($2::text IS NULL"),
  ),
  ...statements('libs/domains/runs/src/run-place.ts', RUNS, [
    ['a conversation', 'FROM runs.conversations WHERE ${ofTenant()}', 'are in no conversation'],
  ]),
  ...statements('libs/domains/runs/src/plan.store.ts', 'libs/domains/runs/src/plan.store.db.spec.ts', [
    ['a plan', 'FROM runs.plans WHERE ${ofTenant()}', 'is of its organisation'],
  ]),
  ...statements('libs/sources/providers/src/choices/vendor-choice.store.ts', CHOICES, [
    [
      'an own key that is read',
      'key_hint FROM identity.vendor_choices WHERE ${ofTenant()}',
      'is of its organisation',
    ],
    [
      'an own key that is deleted',
      'DELETE FROM identity.vendor_choices WHERE ${ofTenant()}',
      'is of its organisation',
    ],
  ]),
  mutant(
    "tenant of a run's Idempotency-Key",
    'libs/domains/runs/src/run.store.db.spec.ts',
    'gives one run to equal requests',
    forgets(RUN_STORE, 'WHERE ${ofTenant()} AND idempotency_key = $2'),
  ),
  hiddenMutant(
    'tenant of a run that is cancelled, behind the read',
    RUNS,
    'go on, whatever the other cancels',
    [forgets(RUN_STORE, READ_RUN)],
    forgets(RUN_STORE, "WHERE ${ofTenant()} AND id = $2 AND status IN ('queued'"),
  ),
  hiddenMutant(
    'tenant of an output, behind the read',
    RUNS,
    'publish nothing',
    [forgets(RUN_STORE, READ_RUN)],
    forgets(RUN_STORE, "WHERE ${ofTenant()} AND id = $2 AND status = 'completed'"),
  ),
  ...statements(JOURNAL, RUNS, [
    ['the run before', "WHERE ${ofTenant('r')} AND r.conversation_id", 'are not what a run'],
    ['the run that goes on', 'FROM runs.runs WHERE ${ofTenant()} AND id = $3', 'are not where it goes on'],
  ]),
];

const RUNNING = 'WHERE ${ofTenant()} AND service = $2 AND share_key';
const ANSWERED = 'WHERE ${ofTenant()} AND service = $2 AND reuse_key';
const ORG_ONLY = 'org_id = ($1::text[])[1]';
const MODE_ONLY = 'mode = ($1::text[])[2]';

const jobs = [
  mutant('share: within a mode', JOBS, 'mode share no search', forgets(MATCHER, RUNNING, ORG_ONLY)),
  mutant(
    'share: within an organisation',
    JOBS,
    'organisation share no',
    forgets(MATCHER, RUNNING, MODE_ONLY),
  ),
  mutant('reuse: within a mode', JOBS, 'mode give no answer', forgets(MATCHER, ANSWERED, ORG_ONLY)),
  mutant(
    'reuse: within an organisation',
    JOBS,
    'organisation give no',
    forgets(MATCHER, ANSWERED, MODE_ONLY),
  ),
  ...statements(BATCH_SQL, JOBS, [
    ['a list of lines', READ_BATCH, 'are not found'],
    ['a list of jobs', LIST_JOBS, 'in no list of jobs'],
  ]),
  ...statements(BATCHES, JOBS, [
    ['the ends of lines', "WHERE ${ofTenant('b')} AND b.id = $2 ORDER", 'are not found'],
    ['a trail', 'FROM jobs.jobs WHERE ${ofTenant()} AND id = $2', 'tell nobody'],
    ["a list's Idempotency-Key", 'FROM jobs.batches WHERE ${ofTenant()}', 'have an Idempotency-Key'],
  ]),
  hiddenMutant(
    "tenant of a list's lines, behind that of their jobs",
    JOBS,
    'organisation have jobs that are not found',
    [forgets(BATCH_SQL, LIST_JOBS)],
    [BATCH_SQL, 'l.batch_id = $4 AND l.org_id = ${TENANT_ORG}', 'l.batch_id = $4'],
  ),
  mutant('organisation of a list that is cancelled', JOBS, 'organisation are no business', [
    CANCEL,
    'b.org_id = p_org AND b.mode',
    'b.mode',
  ]),
  mutant('mode of a list that is cancelled', JOBS, 'mode are no business', [
    CANCEL,
    ' AND b.mode = p_mode',
    '',
  ]),
];

const credits = [
  ...statements(LEDGER, CREDITS, [
    ['a balance', 'FROM credits.accounts WHERE ${ofTenant()}', 'its own balance'],
    ['an outlook', "WHERE ${ofTenant('a')}", 'its own outlook'],
  ]),
  mutant('tenant of the entries of the ledger', CREDITS, 'its own entries', [
    STATEMENTS,
    'WHERE t.account_id = $1 AND t.kind IN',
    'WHERE $1::text IS NOT NULL AND t.kind IN',
  ]),
];

const library = (file) => `${TABLES_LIBRARY}/${file}`;
const WORKSPACES = library('workspaces/workspaces.store.ts');
const TABLES = library('tables/tables.store.ts');
const PAGES = library('tables/row-page.ts');
const FREEZER = library('frozen/table-freezer.ts');
const FROZEN = library('frozen/frozen-tables.store.ts');
const EXPORTS = library('exports/exports.store.ts');
const WRITER = library('writer/table-writer.ts');
const READER = library('writer/table-reader.ts');

const heads = [
  ...statements(WORKSPACES, TENANCY, [
    ['a list of workspaces', "where: `${ofTenant('w')}", 'names no workspace'],
    ['a workspace', "WHERE ${ofTenant('w')} AND w.id = $2", 'getWorkspace answers an id of another'],
    [
      'a workspace to archive',
      'WHERE ${ofTenant()} AND id = $2 AND archived_at IS NULL RETURNING',
      'archiveWorkspace answers an id',
    ],
    ['an open workspace', 'SELECT 1 FROM tables.workspaces WHERE ${ofTenant()}', 'names no workspace'],
    [
      'a workspace that is held open',
      'SELECT id FROM tables.workspaces WHERE ${ofTenant()}',
      'createTable answers an id of another',
    ],
  ]),
  ...statements(TABLES, TENANCY, [
    [
      'the workspace of a list of tables',
      'FROM tables.workspaces WHERE ${ofTenant()}',
      'listTables answers an id of another',
    ],
    [
      'a table',
      "FROM ${OPEN_TABLE} WHERE ${ofTenant('t')} AND t.id = $2) AS item",
      'getTable answers an id of another',
    ],
    [
      'the rows of a table',
      "row_count FROM ${OPEN_TABLE} WHERE ${ofTenant('t')}",
      'listRows answers an id of another',
    ],
  ]),
  ...statements(FROZEN, TENANCY, [
    [
      'a frozen table',
      "WHERE ${ofTenant('f')} AND f.run_id = $2 AND f.key",
      'listFrozenRows answers an id of another',
    ],
  ]),
  ...statements(EXPORTS, TENANCY, [
    ['an export', "WHERE ${ofTenant('e')} AND e.id = $2", 'getExport answers an id of another'],
  ]),
  ...statements(library('writer/table-head.ts'), TENANCY, [
    ["the agent's table", "WHERE ${ofTenant('t')}", 'getTableSummary answers an id of another'],
  ]),
  ...statements(READER, TENANCY, [
    ['the names of tables', "WHERE ${ofTenant('t')}", 'leaves what a stranger'],
  ]),
];

// Behind the check of a head, which hides them unless two organisations have a head of the same id.
const namesakes = [
  ...statements(TABLES, NAMESAKES, [
    ['a list of tables', "where: `${ofTenant('t')} AND t.workspace_id", 'list their own tables'],
  ]),
  ...statements(FREEZER, NAMESAKES, [
    ['a table that is frozen', "FROM tables.tables t WHERE ${ofTenant('t')}", 'freeze their own table'],
    ['a table that was frozen', "frozen_tables f WHERE ${ofTenant('f')} AND f.run_id", 'are told again'],
  ]),
  ...statements(FROZEN, NAMESAKES, [
    [
      'a run that is archived',
      "WHERE ${ofTenant('f')} AND f.run_id = $2 AND w.archived_at",
      'their own archived runs',
    ],
  ]),
  ...statements(WRITER, NAMESAKES, [
    ['new columns', 'UPDATE tables.tables SET columns = $3 WHERE ${ofTenant()}', 'add columns to their own'],
    [
      'the place of new rows',
      'SELECT row_count FROM tables.tables WHERE ${ofTenant()}',
      'add rows to their own',
    ],
    ['the count of rows', "FROM counted\n  WHERE ${ofTenant('t')}", 'add rows to their own'],
    ['the count of fits', "FROM moved WHERE ${ofTenant('t')}", 'judge the rows of their own'],
  ]),
  mutant('organisation of the bytes of an export', NAMESAKES, 'read their own export', [
    EXPORTS,
    'c.org_id = ${TENANT_ORG} AND c.export_id',
    'c.export_id',
  ]),
];

// Behind the number of a row set, which its head gives.
const rows = [
  ['a page', PAGES, 'r.org_id = ${TENANT_ORG} AND r.row_set', 'r.row_set', 'in a page'],
  [
    'rows that are read',
    READER,
    'r.org_id = $1 AND r.row_set',
    '$1::text IS NOT NULL AND r.row_set',
    'to its agent',
  ],
  [
    'a profile',
    READER,
    'WHERE org_id = $1 AND row_set',
    'WHERE $1::text IS NOT NULL AND row_set',
    'tells none',
  ],
  ['a file', library('exports/table-copy-out.ts'), 'r.org_id = ${quote(orgId)} AND ', '', 'exports none'],
  [
    'rows that get a column',
    WRITER,
    'WHERE org_id = $1 AND row_set',
    'WHERE $1::text IS NOT NULL AND row_set',
    'it is widened',
  ],
  [
    'rows that are frozen',
    FREEZER,
    'r.org_id = $1 AND r.row_set',
    '$1::text IS NOT NULL AND r.row_set',
    'freezes none',
  ],
].map(([name, file, text, without, tests]) =>
  mutant(`organisation of ${name}`, NAMESAKES, tests, [file, text, without]),
);
// Rows are found by their ids, then written by their places; each half holds alone.
const FOUND = 'o.org_id = ${TENANT_ORG} AND o.row_set = ${rowSet}';
const CHANGED = 'r.org_id = ${TENANT_ORG} AND r.row_set = $2::bigint AND r.position';
const JUDGED = 'r.org_id = ${TENANT_ORG} AND r.row_set = $3::bigint AND r.position';
const withoutOrganisation = (text) => [WRITER, text, text.replace(/[or]\.org_id = \$\{TENANT_ORG\}/, 'true')];
const writes = [
  ['change', 'it is updated', CHANGED],
  ['are judged', 'it is judged', JUDGED],
].flatMap(([name, tests, written]) => [
  hiddenMutant(
    `organisation of rows that ${name}, written`,
    NAMESAKES,
    tests,
    [withoutOrganisation(FOUND)],
    withoutOrganisation(written),
  ),
  hiddenMutant(
    `organisation of rows that ${name}, found`,
    NAMESAKES,
    tests,
    [withoutOrganisation(written)],
    withoutOrganisation(FOUND),
  ),
]);

const MATCHES = library('exclusions/exclusion-matcher.ts');
const EXCLUSIONS = library('exclusions/exclusions.store.ts');
const exclusions = [
  ...statements(MATCHES, LISTS, [
    ['an excluded domain', "${ofTenant('e')} AND e.kind = $2 AND e.entry_key", 'match each its own'],
    ['an excluded address', "${ofTenant('e')} AND e.kind = $2 AND e.linkedin_url", 'match each its own'],
  ]),
  ...statements(EXCLUSIONS, LISTS, [
    ['a list of exclusions', "where: `${ofTenant('e')} AND e.kind = $4`", 'show each its own entries'],
    [
      'an entry that is named by key',
      "${ofTenant('e')} AND e.kind = $2 AND e.entry_key = given",
      'count as named',
    ],
    ['an entry that is named by address', "WHERE ${ofTenant('x')}", 'count as named'],
    [
      'an entry that is deleted',
      "DELETE FROM tables.exclusions e\n    WHERE ${ofTenant('e')}",
      'lose nothing that the other',
    ],
    [
      'a source of what is deleted',
      "WHERE ${ofTenant('s')} AND s.kind = $2 AND s.entry_key = ANY",
      'keep who named',
    ],
    [
      'an address in a plan',
      "${ofTenant('e')} AND e.kind = $2 AND e.entry_key = s.entry_key",
      'foresee of a sync',
    ],
    ['a source in a plan', "WHERE ${ofTenant('s')} AND s.kind = $2 AND s.source = $5", 'foresee of a sync'],
    [
      'a source that is dropped',
      "WHERE ${ofTenant('s')} AND s.kind = $2 AND s.source = $3",
      'keep their sources',
    ],
    [
      'an entry that is dropped',
      "DELETE FROM tables.exclusions e\n  WHERE ${ofTenant('e')}",
      'keep their entries',
    ],
    ['another source of an entry', "WHERE ${ofTenant('o')}", 'lose what only the other'],
  ]),
];

const requests = [
  ...statements(KEYS, REQUESTS, [
    [
      'a request that has an answer',
      'answer FROM requests.keys WHERE ${ofTenant()}',
      'answered from its own',
    ],
  ]),
  ...[
    [
      'kept',
      "hours'\n  WHERE ${ofTenant()}",
      'token = $4 AND answer IS NULL RETURNING',
      'keeps its own answer',
    ],
    ['freed', 'const OWN = `${ofTenant()}', 'key = $3 AND token = $4`', 'frees its own key'],
  ].map(([what, text, token, tests]) =>
    hiddenMutant(
      `tenant of a request that is ${what}, behind its token`,
      REQUESTS,
      tests,
      [[KEYS, token, token.replace('token = $4', '$4::text IS NOT NULL')]],
      forgets(KEYS, text),
    ),
  ),
];

const identity = [
  mutant('organisation of the user of a key', IDENTITIES, 'gives a key to the first', [
    IDENTITY,
    'WHERE org_id = $5 AND',
    'WHERE $5::text IS NOT NULL AND',
  ]),
  mutant('organisation of the mode of a key', IDENTITIES, 'tells the mode of a key', [
    IDENTITY,
    'WHERE org_id = $1 AND id = $2',
    'WHERE $1::text IS NOT NULL AND id = $2',
  ]),
];

const OTHER = 'opens nothing for another';
const cursors = [
  mutant('cursor: signed', CURSORS, 'any one character', [
    CURSOR,
    'timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(key, binding, position)) ?',
    'mac(key, binding, position) && timingSafeEqual ?',
  ]),
  mutant('cursor: one spelling', CURSORS, 'any one character', [
    CURSOR,
    " || bytes.toString('base64url') !== cursor",
    '',
  ]),
  mutant('cursor: the position', CURSORS, 'any one character', [CURSOR, '[key.id, position, ', '[key.id, ']),
  mutant('cursor: the secret', CURSORS, 'a retired key', [
    CURSOR,
    "'sha256', key.secret",
    "'sha256', key.id",
  ]),
  ...['tenant', 'endpoint', 'subject'].map((part) =>
    mutant(`cursor: the ${part}`, CURSORS, OTHER, [CURSOR, `, binding.${part}`, '']),
  ),
  ...[
    [
      'rows: the tenant',
      NAMESAKES,
      'by a cursor of the other',
      TABLES,
      'tenant: tenantOf(ctx), endpoint',
      "tenant: ['', ''], endpoint",
    ],
    [
      'rows: the table',
      library('import/import-table.db.spec.ts'),
      'refuses cursors',
      TABLES,
      'subject: query.tableId',
      "subject: ''",
    ],
    [
      'frozen rows: the tenant',
      NAMESAKES,
      'by a cursor of the other',
      FROZEN,
      'tenant: tenantOf(ctx),\n        endpoint',
      "tenant: ['', ''],\n        endpoint",
    ],
    [
      'frozen rows: the run',
      library('frozen/table-freezer.db.spec.ts'),
      'refuses a cursor',
      FROZEN,
      'JSON.stringify([runId, tableKey])',
      'tableKey',
    ],
    [
      'frozen rows: the key',
      library('frozen/table-freezer.db.spec.ts'),
      'refuses a cursor',
      FROZEN,
      'JSON.stringify([runId, tableKey])',
      'runId',
    ],
    [
      'entries: the tenant',
      CREDITS,
      'open nothing of another',
      STATEMENTS,
      'tenant: tenantOf(ctx)',
      "tenant: ['', '']",
    ],
    [
      'entries: the choice',
      CREDITS,
      'cursors of one choice',
      STATEMENTS,
      'JSON.stringify([service, batchId, runId])',
      "''",
    ],
  ].map(([name, spec, tests, file, text, without]) =>
    mutant(`cursor of ${name}`, spec, tests, [file, text, without]),
  ),
  hiddenMutant(
    'cursor of rows: live or frozen, behind what is read',
    NAMESAKES,
    'no frozen page by a cursor of live rows',
    [
      [TABLES, 'subject: query.tableId', "subject: ''"],
      [FROZEN, 'subject: JSON.stringify([runId, tableKey])', "subject: ''"],
    ],
    [TABLES, 'endpoint: ROW_LISTS.live', "endpoint: ''"],
    [FROZEN, 'endpoint: ROW_LISTS.frozen', "endpoint: ''"],
  ),
];

export const TENANCY_MUTANTS = [
  ...runs,
  ...jobs,
  ...credits,
  ...heads,
  ...namesakes,
  ...rows,
  ...writes,
  ...exclusions,
  ...requests,
  ...identity,
  ...cursors,
].map((each) => ({ ...each, isBehindWall: true }));
