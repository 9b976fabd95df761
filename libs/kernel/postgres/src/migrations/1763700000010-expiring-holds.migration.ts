import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Holds of calls that are answered within the request. A line's hold belongs to a job, which every worker can find
 * and end; the hold of a direct call has nobody after a crash but its own time limit, which stands here. The transfer
 * stays append-only: the end of such a hold is a transfer like any other, a void.
 */
export class AddExpiringHolds1763700000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.hold_expiries (
        hold_id text PRIMARY KEY,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX hold_expiries_by_time ON credits.hold_expiries (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE credits.hold_expiries;
    `);
  }
}
