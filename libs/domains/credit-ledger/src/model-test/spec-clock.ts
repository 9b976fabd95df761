import type { Ctx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import type { TestDatabase } from '@quarry/testing';

const SCHEMA = 'spec_clock';

/** Shadows the function from which the product reads the time, for organisations with their own time. */
const MAKE = `
  CREATE SCHEMA ${SCHEMA};
  CREATE TABLE ${SCHEMA}.times (org_id text PRIMARY KEY, at timestamptz NOT NULL);
  CREATE FUNCTION ${SCHEMA}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE RETURN coalesce(
    (SELECT t.at FROM ${SCHEMA}.times t WHERE t.org_id = current_setting('app.org_id', true)), pg_catalog.clock_timestamp());
  GRANT USAGE ON SCHEMA ${SCHEMA} TO PUBLIC;
  GRANT SELECT, INSERT, UPDATE ON ${SCHEMA}.times TO PUBLIC;
  GRANT EXECUTE ON FUNCTION ${SCHEMA}.clock_timestamp() TO PUBLIC;
  -- The product's functions look for names where they were told to, whoever calls them.
  DO $$ DECLARE f regprocedure; BEGIN
    FOR f IN SELECT oid FROM pg_proc WHERE EXISTS (SELECT FROM unnest(proconfig) c WHERE c LIKE 'search_path=pg_catalog%') LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = ${SCHEMA}, pg_catalog, pg_temp', f);
    END LOOP;
  END $$`;

/**
 * A clock in the database that a spec sets for each organisation, so that no day starts by itself. It applies to every statement
 * and function that resolves `clock_timestamp` by name when it runs; defaults of columns keep the real time.
 */
export class SpecClock {
  private constructor(readonly database: Database) {}

  /** @returns the clock, with a database connection that uses it; close `database` before the spec ends */
  static async in(test: TestDatabase): Promise<SpecClock> {
    await test.asAdmin(MAKE);
    const url = new URL(test.url);
    url.searchParams.set('options', `-c search_path=${SCHEMA},pg_catalog,public`);
    return new SpecClock(await Database.open({ url: url.href, applicationName: 'spec' }));
  }

  /** Sets the time of the context's organisation, which stays until it is set again. */
  async set(ctx: Ctx, now: Date): Promise<void> {
    await this.database.query(
      ctx,
      `INSERT INTO ${SCHEMA}.times (org_id, at) VALUES ($1, $2) ON CONFLICT (org_id) DO UPDATE SET at = excluded.at`,
      [ctx.orgId, now.toISOString()],
    );
  }
}
