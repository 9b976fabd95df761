import type pg from 'pg';
import { ROLES } from '../database/roles.js';

interface Access {
  serving: string;
  working: string;
  /** Tables whose rights differ from those of their schema. */
  tables?: Readonly<Record<string, { serving?: string; working?: string }>>;
}

const READ = 'SELECT';
const ALL = 'SELECT, INSERT, UPDATE, DELETE';

/** Rights of each role in each schema, which are also the defaults for tables that are added later. */
const ACCESS: Readonly<Record<string, Access>> = {
  identity: {
    serving: READ,
    working: 'SELECT, INSERT, UPDATE',
    tables: {
      api_keys: { serving: 'SELECT, UPDATE (last_used_at)' },
      // Append-only for all roles.
      audit_events: { serving: 'SELECT, INSERT', working: 'SELECT, INSERT' },
      vendor_choices: { working: ALL },
      // The serving role does not compare passwords.
      users: { serving: 'SELECT (id, org_id, email, name, role, created_at, removed_at)' },
      sessions: { serving: 'SELECT, UPDATE (last_seen_at)', working: ALL },
      login_links: { working: ALL },
      invitations: { working: ALL },
      login_attempts: { working: ALL },
    },
  },
  credits: {
    serving: READ,
    working: ALL,
    // Append-only for all roles.
    tables: { transfers: { working: 'SELECT, INSERT' } },
  },
  jobs: { serving: READ, working: ALL },
  runs: {
    serving: 'SELECT, INSERT, UPDATE',
    working: ALL,
    // A monitor is deleted by a call, with what it remembers.
    tables: { monitors: { serving: ALL }, monitor_items: { serving: ALL }, monitor_runs: { serving: ALL } },
  },
  tables: { serving: ALL, working: ALL },
  // Accepting a run also places a hold, which only the working role may do.
  go: { serving: READ, working: ALL },
  requests: { serving: ALL, working: ALL },
  // The working role also creates and drops tables: one per imported file.
  directory: { serving: READ, working: ALL },
  // Triggers write events with the rights of the role that makes the change; the serving role cancels runs and creates exports.
  events: {
    serving: 'SELECT, INSERT',
    working: ALL,
    tables: { subjects: { serving: 'SELECT, INSERT, UPDATE' } },
  },
  // Every role that writes an event writes its deliveries; the serving role cannot read secrets.
  webhooks: {
    serving: 'SELECT, INSERT',
    working: ALL,
    tables: { endpoints: { serving: 'SELECT (org_id, mode, id, types, status)' } },
  },
  // The serving role cannot read secrets.
  destinations: {
    serving: READ,
    working: ALL,
    tables: { destinations: { serving: 'SELECT (org_id, mode, id)' } },
  },
  // The serving role cannot read secrets.
  outreach: {
    serving: READ,
    working: ALL,
    tables: { mailboxes: { serving: 'SELECT (org_id, mode, id, address, status)' } },
  },
  // Erasures access the tables of every library.
  erasure: { serving: READ, working: 'SELECT, INSERT, UPDATE' },
};

/** Schema of the views that count over all organisations without naming them. */
const METRICS = 'metrics';
const { serving: SERVING, working: WORKING, metrics: METRICS_READER } = ROLES;

/**
 * Grants the rights of each role and revokes all others. It is applied after every migration, in the caller's
 * transaction, so that no table and no function is forgotten.
 */
export async function applyAccessRules(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT nspname AS schema FROM pg_namespace WHERE nspname = ANY ($1)`,
    [Object.keys(ACCESS)],
  );
  const statements = [
    "SET LOCAL app.org_id = '*'",
    // By default everyone may execute functions; this also covers functions that are created later.
    'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC',
    ...rows.flatMap(({ schema }) => ofSchema(schema, ACCESS[schema]!)),
    ...(await readOnlyViewsOf(client)),
    ...(await rowSecurityOf(client)),
    ...(await searchPathsOf(client)),
    `GRANT USAGE ON SCHEMA ${METRICS} TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${METRICS} TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
    `GRANT SELECT ON quarry_migrations, quarry_functions TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
  ];
  await client.query(statements.join(';\n'));
}

/**
 * Tables with `org_id` that rely on their predicate alone, without row-level security, with the reason. Source of the
 * numbers: docs/adr/0016-roles-and-row-security.md.
 */
const WITHOUT_WALL: readonly string[] = [
  // COPY cannot write into a table with row-level security. Rows are only reached through a head, which has it.
  'tables.rows',
];

/**
 * Pins the search path of functions: a function must have the same meaning for every session, or a function of somebody
 * else could replace one that it calls. SQL bodies (`RETURN`, `BEGIN ATOMIC`) bind their names when they are created, and
 * a setting would prevent PostgreSQL from inlining them.
 * @returns the statements for every function of the product's schemas that is not pinned yet
 */
async function searchPathsOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regprocedure::text AS name FROM pg_proc
     WHERE pronamespace::regnamespace::text = ANY ($1) AND prosqlbody IS NULL
       AND NOT EXISTS (SELECT FROM unnest(proconfig) setting WHERE setting LIKE 'search_path=%')`,
    [[...Object.keys(ACCESS), METRICS]],
  );
  return rows.map(({ name }) => `ALTER FUNCTION ${name} SET search_path = pg_catalog, pg_temp`);
}

/** @returns the statements that make every view read-only: a write through it would have the rights of its owner, in every organisation */
async function readOnlyViewsOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind = 'v' AND relnamespace::regnamespace::text = ANY ($1)`,
    [Object.keys(ACCESS)],
  );
  return rows.map(({ name }) => `REVOKE INSERT, UPDATE, DELETE ON ${name} FROM ${SERVING}, ${WORKING}`);
}

/** Subquery that reads the setting once per statement: the bare function would be called for every row that is scanned. */
const ORG_OF_STATEMENT = "(SELECT current_setting('app.org_id', true))";
/**
 * Condition that the row belongs to the organisation of the statement. Without an organisation no rows are visible. The
 * planner estimates `IS NOT NULL` of an expression as almost always true, which is right beside the predicate that every
 * statement has. It would count an equality with an unknown value as a second filter, and estimate a few rows for the list
 * of a large organisation.
 */
const OWN_ROWS = `(CASE WHEN org_id = ${ORG_OF_STATEMENT} THEN true END) IS NOT NULL`;
const ALL_ROWS = `${ORG_OF_STATEMENT} = '*'`;

/** @returns the statements that enable row-level security on every table with an `org_id` that does not have it yet */
async function rowSecurityOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relkind IN ('r', 'p') AND a.attname = 'org_id' AND NOT a.attisdropped
       AND c.relnamespace::regnamespace::text = ANY ($1) AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
    [Object.keys(ACCESS)],
  );
  return rows
    .filter(({ name }) => !WITHOUT_WALL.includes(name))
    .flatMap(({ name }) => [
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
      `CREATE POLICY own_rows ON ${name} USING (${OWN_ROWS})`,
      `CREATE POLICY all_rows ON ${name} TO ${WORKING} USING (${ALL_ROWS})`,
      // API keys identify the organisation: they are looked up before it is known.
      ...(name === 'identity.api_keys'
        ? [
            `CREATE POLICY found_by_key ON ${name} FOR SELECT TO ${SERVING} USING (${ALL_ROWS})`,
            `CREATE POLICY noted_by_key ON ${name} FOR UPDATE TO ${SERVING} USING (${ALL_ROWS})`,
          ]
        : []),
    ]);
}

function ofSchema(schema: string, { serving, working, tables = {} }: Access): string[] {
  const both = `${SERVING}, ${WORKING}`;
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM PUBLIC, ${both}`,
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${both}`,
    `GRANT ${serving} ON ALL TABLES IN SCHEMA ${schema} TO ${SERVING}`,
    `GRANT ${working} ON ALL TABLES IN SCHEMA ${schema} TO ${WORKING}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${both}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${both}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${serving} ON TABLES TO ${SERVING}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${working} ON TABLES TO ${WORKING}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${both}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT EXECUTE ON FUNCTIONS TO ${both}`,
    ...Object.entries(tables).flatMap(([table, own]) => [
      ...ofTable(`${schema}.${table}`, SERVING, own.serving),
      ...ofTable(`${schema}.${table}`, WORKING, own.working),
    ]),
  ];
}

function ofTable(table: string, role: string, rights: string | undefined): string[] {
  if (rights === undefined) return [];
  return [`REVOKE ALL ON ${table} FROM ${role}`, `GRANT ${rights} ON ${table} TO ${role}`];
}
