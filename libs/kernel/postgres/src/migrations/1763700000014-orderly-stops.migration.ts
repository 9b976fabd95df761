import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets an orderly shutdown hand back started work. `attempt` counts the started provider calls; it is public and never
 * decreases. Only attempts that were not handed back count towards `worker_lost`.
 *
 * `handed_back` counts attempts that called the provider and whose worker stopped orderly. `is_begun` says that the latest
 * attempt may still make its call: its start is recorded, and its worker is still working on it or handed it back before
 * the call. The next start then continues it instead of adding one. The claim reads both (../functions).
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
