import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An orderly stop takes back what it began. `attempt` says how often a provider's call was started, for everybody to
 * read, and never shrinks; what ends a line as `worker_lost` are the attempts that nobody handed back.
 *
 * `handed_back` counts attempts that called, and whose worker stopped in order. `is_begun` says that the newest attempt
 * may still be called under: its start is written, and either its worker has it in hand or handed it back before the
 * call. The next start then goes on with it instead of adding one. The claim reads both (../functions).
 */
export class TakeStopsBack1763700000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs.jobs
        ADD COLUMN handed_back integer NOT NULL DEFAULT 0,
        ADD COLUMN is_begun boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.jobs DROP COLUMN handed_back, DROP COLUMN is_begun');
  }
}
