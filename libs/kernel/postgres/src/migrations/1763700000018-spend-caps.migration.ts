import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Spend caps of an organisation or of one of its keys, by UTC day and by month, and the usage counted against them: per
 * key and day, the sum of charges and of open holds. The unused part of a hold is returned to the day on which it was
 * placed. Weeks and months are sums of days, and an organisation is the sum of its keys, so a group of holds writes one
 * row, and an account without caps reads nothing.
 *
 * The rows of an account are only written under its lock, so reads under the lock are exact: concurrent holds cannot
 * exceed a cap together. Counting starts with this migration: an earlier hold has a null key, not an empty one.
 */
export class AddSpendCaps1763700000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credits.accounts ADD COLUMN capped boolean NOT NULL DEFAULT false;
      ALTER TABLE credits.transfers ADD COLUMN key_id text;
      ALTER TABLE jobs.batches ADD COLUMN key_id text;
      ALTER TABLE jobs.jobs ADD COLUMN key_id text;

      -- An empty key is the whole organisation.
      CREATE TABLE credits.caps (
        account_id text NOT NULL REFERENCES credits.accounts (id),
        key_id text NOT NULL,
        period text NOT NULL CHECK (period IN ('day', 'month')),
        amount bigint NOT NULL CHECK (amount >= 0),
        PRIMARY KEY (account_id, key_id, period)
      );

      -- An empty key is work that no key asked for.
      CREATE TABLE credits.usage (
        account_id text NOT NULL,
        day date NOT NULL,
        key_id text NOT NULL,
        used bigint NOT NULL CONSTRAINT use_not_negative CHECK (used >= 0),
        PRIMARY KEY (account_id, day, key_id)
      );
    `);
  }

  async down(): Promise<void> {
    await Promise.reject(
      new Error('A version without caps would spend beyond them: restore a backup instead.'),
    );
  }
}
