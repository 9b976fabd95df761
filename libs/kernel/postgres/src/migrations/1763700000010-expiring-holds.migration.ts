import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Holds of calls that are answered within the request. The hold of a batch line belongs to a job, which any worker can
 * find and end. The hold of a direct call has only its own time limit after a crash, which is stored here. Transfers stay
 * append-only: such a hold ends with a void, which is a transfer like any other.
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
