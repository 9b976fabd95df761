import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who was asked for a job, in which order, and what each said; and the id under which a vendor works on it, so that a worker
 * that takes the job over asks for that work instead of ordering it again.
 */
export class AddTrails1763700000071 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.jobs ADD COLUMN trail jsonb, ADD COLUMN vendor_job text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.jobs DROP COLUMN trail, DROP COLUMN vendor_job');
  }
}
