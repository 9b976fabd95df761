import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log of keys, users, grants, limits, exports, deletions and erasures. It is append-only. Each row has a hash
 * over itself and the previous row of its organisation, so that a direct change in the database is detected unless all
 * later rows are rewritten; a hash recorded elsewhere detects that too.
 */
export class AddAuditLog1763700000042 implements MigrationInterface {
  readonly name = 'AddAuditLog1763700000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.audit_events (
        org_id     text NOT NULL,
        -- 1, 2, 3 … within the organisation.
        number     bigint NOT NULL CHECK (number > 0),
        at         timestamptz NOT NULL,
        actor_kind text NOT NULL CHECK (actor_kind IN ('key', 'operator')),
        actor_id   text,
        mode       text NOT NULL CHECK (mode IN ('live', 'test')),
        action     text NOT NULL,
        object     text NOT NULL,
        address    text,
        request_id text NOT NULL,
        facts      jsonb NOT NULL,
        hash       bytea NOT NULL CHECK (length(hash) = 32),
        PRIMARY KEY (org_id, number)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE identity.audit_events CASCADE;
    `);
  }
}
