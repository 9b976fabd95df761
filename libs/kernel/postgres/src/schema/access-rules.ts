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

/** Rights of each role in each schema, and by default in tables that are added to it later. */
const ACCESS: Readonly<Record<string, Access>> = {
  identity: {
    serving: READ,
    working: 'SELECT, INSERT, UPDATE',
    tables: {
      api_keys: { serving: 'SELECT, UPDATE (last_used_at)' },
      // Only ever added to, by everybody.
      audit_events: { serving: 'SELECT, INSERT', working: 'SELECT, INSERT' },
      vendor_choices: { working: ALL },
      // Whoever answers requests compares no passwords.
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
    // Append-only for everybody.
    tables: { transfers: { working: 'SELECT, INSERT' } },
  },
  jobs: { serving: READ, working: ALL },
  runs: { serving: 'SELECT, INSERT, UPDATE', working: ALL },
  tables: { serving: ALL, working: ALL },
  // Also whoever accepts a run holds its credits, which only the working role may.
  go: { serving: READ, working: ALL },
  requests: { serving: ALL, working: ALL },
  // The working role also makes and drops its tables: one for each file that an operator imports.
  directory: { serving: READ, working: ALL },
  // Triggers write it as whoever changes what it tells of; also who answers requests cancels runs and makes exports.
  events: {
    serving: 'SELECT, INSERT',
    working: ALL,
    tables: { subjects: { serving: 'SELECT, INSERT, UPDATE' } },
  },
  // Whoever writes an event writes its deliveries; nobody who answers requests reads a secret.
  webhooks: {
    serving: 'SELECT, INSERT',
    working: ALL,
    tables: { endpoints: { serving: 'SELECT (org_id, mode, id, types, status)' } },
  },
  // Nobody who answers requests reads a secret.
  destinations: {
    serving: READ,
    working: ALL,
    tables: { destinations: { serving: 'SELECT (org_id, mode, id)' } },
  },
  // Nobody who answers requests reads a secret.
  outreach: {
    serving: READ,
    working: ALL,
    tables: { mailboxes: { serving: 'SELECT (org_id, mode, id, address, status)' } },
  },
  // Erasures reach into every library.
  erasure: { serving: READ, working: 'SELECT, INSERT, UPDATE' },
};

/** The schema of the views that count without naming an organisation. */
const METRICS = 'metrics';
const { serving: SERVING, working: WORKING, metrics: METRICS_READER } = ROLES;

/**
 * Gives each role what it may do, and takes what it may do beyond that. It is applied after every migration, in its
 * caller's transaction, so that no table and no function is forgotten.
 */
export async function applyAccessRules(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT nspname AS schema FROM pg_namespace WHERE nspname = ANY ($1)`,
    [Object.keys(ACCESS)],
  );
  const statements = [
    "SET LOCAL app.org_id = '*'",
    // Functions are open to everybody unless this is said, also of those that are made later.
    'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC',
    ...rows.flatMap(({ schema }) => ofSchema(schema, ACCESS[schema]!)),
    ...(await rowSecurityOf(client)),
    ...(await searchPathsOf(client)),
    `GRANT USAGE ON SCHEMA ${METRICS} TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${METRICS} TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
    `GRANT SELECT ON quarry_migrations, quarry_functions TO ${SERVING}, ${WORKING}, ${METRICS_READER}`,
  ];
  await client.query(statements.join(';\n'));
}

/**
 * Tables with `org_id` that keep their predicate and have no second wall, and why. Source of the numbers:
 * docs/adr/0016-roles-and-row-security.md.
 */
const WITHOUT_WALL: readonly string[] = [
  // COPY does not write into a table with row-level security. Rows are reached only through a head, which has it.
  'tables.rows',
];

/**
 * A function must mean the same whatever the session's search path says, or one made by somebody else could stand in for
 * what it calls. Those whose body is SQL of its own (`RETURN`, `BEGIN ATOMIC`) have their names bound when they are made,
 * and a setting would keep PostgreSQL from putting them into the statement that calls them.
 * @returns what pins the path of every function of the product's schemas that is still open
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

/** The setting is read by a subquery, once for a statement: the function alone would be called for every row that it passes over. */
const ORG_OF_STATEMENT = "(SELECT current_setting('app.org_id', true))";
/**
 * The organisation of the statement in hand. It has to be named: without it there are no rows. The planner takes `IS NOT NULL` of an
 * expression for nearly always true, which is right beside the predicate of every statement; an equality with a value that it cannot
 * see would count for that predicate once more, and a large organisation's list for a few rows.
 */
const OWN_ROWS = `(CASE WHEN org_id = ${ORG_OF_STATEMENT} THEN true END) IS NOT NULL`;
const ALL_ROWS = `${ORG_OF_STATEMENT} = '*'`;

/** @returns what closes every table of the product's schemas that has an `org_id` and is still open */
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
      // A key says whose it is: it is looked up before there is an organisation.
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
