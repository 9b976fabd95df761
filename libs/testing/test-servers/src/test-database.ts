import { onAdmin, OWNER, TEMPLATE_DATABASE, urlFor } from './test-postgres.js';

/** Connection of a specification: whatever the caller opens, as long as it can be closed. */
interface Closable {
  close(): Promise<void>;
}

/** Roles of the database, and a way to open a connection: the product has them, and this library does not. */
export interface TestDatabaseKind<Opened extends Closable> {
  roles: Readonly<Record<'serving' | 'working' | 'metrics', string>>;
  open(options: { url: string; applicationName: string }): Promise<Opened>;
}

export interface OpenedTestDatabase<Opened extends Closable> {
  /** For the role that works across organisations, as `database` does. */
  url: string;
  /** For the role that answers requests. */
  servingUrl: string;
  /** For the role that reads metrics. */
  metricsUrl: string;
  /** For the owner, who may change the schema. */
  ownerUrl: string;
  database: Opened;
  /** Runs statements as the owner: what the product itself may not do. */
  asOwner(sql: string): Promise<void>;
  /** Runs statements as the superuser, whom nothing is refused. */
  asAdmin(sql: string): Promise<void>;
  /** Closes it and drops it. @throws when a connection to it was left open: a leak in the code under test */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Role of `database`: the working role, unless a spec is about the schema. */
  as?: 'working' | 'owner';
  /** Nothing has been migrated in it. */
  isEmpty?: boolean;
}

/** For whoever wants to see that each statement's own predicate holds: row-level security would hide that it is missing. */
const NO_WALL = `DO $$
  DECLARE r record;
  BEGIN
    FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relrowsecurity LOOP
      EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', r.name);
    END LOOP;
  END $$`;

/**
 * A fresh clone of the migrated template, for one spec file.
 * @throws Error when the test server was not started
 */
export async function openTestDatabase<Opened extends Closable>(
  kind: TestDatabaseKind<Opened>,
  options: TestDatabaseOptions = {},
): Promise<OpenedTestDatabase<Opened>> {
  const adminUrl = process.env.QUARRY_TEST_POSTGRES_URL;
  if (!adminUrl)
    throw new Error(
      'QUARRY_TEST_POSTGRES_URL is not set: run database specs through "npm test" or Jest\'s db project.',
    );
  const name = `quarry_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await onAdmin(
    adminUrl,
    `CREATE DATABASE ${name} TEMPLATE ${options.isEmpty ? 'template1' : TEMPLATE_DATABASE} STRATEGY FILE_COPY OWNER ${OWNER}`,
  );
  // As in the database of the product: its roles make no temporary tables.
  await onAdmin(adminUrl, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  if (process.env.QUARRY_TEST_WALL === 'off')
    await onAdmin(urlFor(adminUrl, name, new URL(adminUrl).username), NO_WALL);
  const url = urlFor(adminUrl, name, kind.roles.working);
  const ownerUrl = urlFor(adminUrl, name, OWNER);
  const database = await kind.open({
    url: options.as === 'owner' ? ownerUrl : url,
    applicationName: 'spec',
  });
  return {
    url,
    servingUrl: urlFor(adminUrl, name, kind.roles.serving),
    metricsUrl: urlFor(adminUrl, name, kind.roles.metrics),
    ownerUrl,
    database,
    asAdmin: (sql) => onAdmin(urlFor(adminUrl, name, new URL(adminUrl).username), sql),
    asOwner: (sql) => onAdmin(ownerUrl, sql),
    drop: async () => {
      await database.close();
      await onAdmin(adminUrl, `DROP DATABASE ${name}`);
    },
  };
}
