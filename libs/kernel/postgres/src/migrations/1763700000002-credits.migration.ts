import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts and transfers of credits. Amounts are whole thousandths of a credit. Transfers are append-only; the columns of
 * an account are their running sums, protected by CHECKs.
 */
export class CreateCredits1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA credits;

      CREATE TABLE credits.accounts (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        granted bigint NOT NULL DEFAULT 0,
        available bigint NOT NULL DEFAULT 0,
        reserved bigint NOT NULL DEFAULT 0,
        spent bigint NOT NULL DEFAULT 0,
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (org_id, mode),
        CONSTRAINT available_not_negative CHECK (available >= 0),
        CONSTRAINT reserved_not_negative CHECK (reserved >= 0),
        CONSTRAINT spent_not_negative CHECK (spent >= 0),
        CONSTRAINT sums_agree CHECK (available + reserved + spent = granted)
      );

      CREATE TABLE credits.transfers (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES credits.accounts (id),
        kind text NOT NULL CHECK (kind IN ('grant', 'adjustment', 'hold', 'post', 'void')),
        amount bigint NOT NULL,
        hold_id text REFERENCES credits.transfers (id),
        service text,
        batch_id text,
        job_id text,
        input_index integer,
        run_id text,
        reason text,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT only_resolutions_name_a_hold CHECK ((kind IN ('post', 'void')) = (hold_id IS NOT NULL)),
        CONSTRAINT only_adjustments_are_negative CHECK (amount >= 0 OR kind = 'adjustment')
      );
      CREATE UNIQUE INDEX one_resolution_per_hold ON credits.transfers (hold_id) WHERE hold_id IS NOT NULL;
      CREATE INDEX transfers_of_account ON credits.transfers (account_id, at, id) WHERE kind IN ('grant', 'adjustment', 'post');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA credits CASCADE');
  }
}
