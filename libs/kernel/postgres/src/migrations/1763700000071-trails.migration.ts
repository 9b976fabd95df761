import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the provider attempts of a job, in order, each with its result; and the id of the vendor's job, so that a worker
 * that takes the job over polls it instead of ordering it again.
 */
export class AddTrails1763700000071 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.jobs ADD COLUMN trail jsonb, ADD COLUMN vendor_job text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.jobs DROP COLUMN trail, DROP COLUMN vendor_job');
  }
}
