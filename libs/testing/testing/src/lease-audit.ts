import { systemCtx } from '@quarry/app';
import { ROLES, type Database } from '@quarry/postgres';

/**
 * Records, in a test's own database, each token that was given to a lease and each settlement that was attempted, and
 * checks the settlements against the tokens: the function in the database is wrapped, not trusted. A settlement locks the
 * job's row until its transaction ends, so the latest token that it can read is the valid one.
 */
export class LeaseAudit {
  private constructor(private readonly database: Database) {}

  static async install(database: Database, asOwner: (sql: string) => Promise<void>): Promise<LeaseAudit> {
    await asOwner(STATEMENTS.join(';\n'));
    return new LeaseAudit(database);
  }

  /** @returns the number of attempted and of accepted settlements with an outdated token */
  async staleWrites(): Promise<{ offered: number; accepted: number }> {
    const row = await this.database.queryOne<{ offered: number; accepted: number }>(
      systemCtx('lease-audit'),
      `SELECT count(*)::int AS offered, (count(*) FILTER (WHERE is_accepted))::int AS accepted
       FROM audit.settlements WHERE is_stale`,
    );
    return row!;
  }

  /** @returns the number of leases that were given while another one was valid, by the clock of PostgreSQL */
  async stolenLeases(): Promise<number> {
    const row = await this.database.queryOne<{ n: number }>(
      systemCtx('lease-audit'),
      'SELECT count(*)::int AS n FROM audit.tokens WHERE is_stolen',
    );
    return row!.n;
  }
}

const STATEMENTS = [
  'CREATE SCHEMA audit',
  `GRANT USAGE ON SCHEMA audit TO ${ROLES.working}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA audit GRANT SELECT ON TABLES TO ${ROLES.working}`,
  'CREATE TABLE audit.tokens (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_id text NOT NULL, token text NOT NULL, is_stolen boolean NOT NULL)',
  'CREATE INDEX ON audit.tokens (job_id, position)',
  `CREATE TABLE audit.settlements (job_id text NOT NULL, is_stale boolean NOT NULL, is_accepted boolean NOT NULL)`,
  `CREATE FUNCTION audit.note_token() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     INSERT INTO audit.tokens (job_id, token, is_stolen) VALUES (NEW.id, NEW.lease_token,
       OLD.lease_token IS NOT NULL AND OLD.lease_until > clock_timestamp());
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER note_token AFTER UPDATE OF lease_token ON jobs.jobs FOR EACH ROW
   WHEN (NEW.lease_token IS NOT NULL AND NEW.lease_token IS DISTINCT FROM OLD.lease_token) EXECUTE FUNCTION audit.note_token()`,
  'ALTER FUNCTION jobs.settle_jobs(jsonb) RENAME TO settle_jobs_unaudited',
  `CREATE FUNCTION jobs.settle_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER AS $$
   DECLARE
     v_ended text[] := ARRAY(SELECT jobs.settle_jobs_unaudited(p_ends));
   BEGIN
     INSERT INTO audit.settlements (job_id, is_stale, is_accepted)
       SELECT e.id, e.token IS DISTINCT FROM (
           SELECT t.token FROM audit.tokens t WHERE t.job_id = e.id ORDER BY t.position DESC LIMIT 1),
         e.id = ANY (v_ended)
       FROM jsonb_to_recordset(p_ends) AS e (id text, token text);
     RETURN QUERY SELECT unnest(v_ended);
   END $$`,
];
