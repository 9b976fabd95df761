import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures of people. A receipt records that one was made and what it covered. Of the person it stores a slow hash only,
 * with which anyone who knows the person can verify that the receipt is about them.
 */
export class AddErasure1763700000043 implements MigrationInterface {
  readonly name = 'AddErasure1763700000043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA erasure;

      CREATE TABLE erasure.receipts (
        org_id       text COLLATE "C" NOT NULL,
        id           text COLLATE "C" NOT NULL,
        mode         text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        subject_kind text NOT NULL CHECK (subject_kind IN ('email', 'linkedin', 'name')),
        subject_hash text NOT NULL,
        state        text NOT NULL CHECK (state IN ('working', 'done')),
        erased       jsonb NOT NULL DEFAULT '{}',
        begun_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        done_at      timestamptz,
        PRIMARY KEY (org_id, id, mode),
        CONSTRAINT done_with_a_time CHECK ((state = 'done') = (done_at IS NOT NULL))
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA erasure CASCADE');
  }
}
