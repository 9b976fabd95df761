import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the findings of the scheduled ledger audits: one row per audit. */
export class AddLedgerChecks1763700000020 implements MigrationInterface {
  readonly name = 'AddLedgerChecks1763700000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.ledger_checks (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        checked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        took_ms    integer NOT NULL,
        -- Sentences, the first hundred; and how many there were in all.
        faults      text[] NOT NULL,
        fault_count integer NOT NULL
      );
      CREATE INDEX ledger_checks_by_time ON credits.ledger_checks (checked_at DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credits.ledger_checks');
  }
}
