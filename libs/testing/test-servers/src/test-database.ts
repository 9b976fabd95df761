import { onAdmin, OWNER, TEMPLATE_DATABASE, urlFor } from './test-postgres.js';

/** Connection of a spec: any closable object that the caller opens. */
interface Closable {
  close(): Promise<void>;
}

/** Roles and connections of the database, which only the product defines. */
export interface TestDatabaseKind<Opened extends Closable> {
  roles: Readonly<Record<'serving' | 'working' | 'metrics', string>>;
  open(options: { url: string; applicationName: string }): Promise<Opened>;
}

export interface OpenedTestDatabase<Opened extends Closable> {
  /** URL for the role that works across organisations, like `database`. */
  url: string;
  /** URL for the role that serves requests. */
  servingUrl: string;
  /** URL for the role that reads metrics. */
  metricsUrl: string;
  /** URL for the owner, who may change the schema. */
  ownerUrl: string;
  database: Opened;
  /** Runs statements as the owner, which the product itself may not run. */
  asOwner(sql: string): Promise<void>;
  /** Runs statements as the superuser. */
  asAdmin(sql: string): Promise<void>;
  /** Closes and drops the database. @throws if a connection to it was left open, which is a leak in the tested code */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Role of `database`: the working role, unless a spec is about the schema. */
  as?: 'working' | 'owner';
  /** Skips the migrations. */
  isEmpty?: boolean;
}

/** SQL that disables row-level security, to test the predicates of statements: it would hide a missing one. */
const NO_WALL = `DO $$
  DECLARE r record;
  BEGIN
    FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relrowsecurity LOOP
      EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', r.name);
    END LOOP;
  END $$`;

/**
 * Creates a clone of the migrated template for one spec file.
 * @throws Error if the test server was not started
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
  // Like in the product's database, roles may not create temporary tables.
  await onAdmin(adminUrl, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  if (process.env.QUARRY_TEST_WALL === 'off')
    await onAdmin(urlFor(adminUrl, name, new URL(adminUrl).username), NO_WALL);
  const url = urlFor(adminUrl, name, kind.roles.working);
  const ownerUrl = urlFor(adminUrl, name, OWNER);
  const database = await kind.open({ url: options.as === 'owner' ? ownerUrl : url, applicationName: 'spec' });
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
