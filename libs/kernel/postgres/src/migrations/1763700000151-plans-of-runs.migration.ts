import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the plan of a run, the maximum cost of a run, and the plan that another one corrects. A plan and its corrections
 * have one root: a second run of any of them continues the conversation of the first.
 */
export class AddPlansOfRuns1763700000151 implements MigrationInterface {
  readonly name = 'AddPlansOfRuns1763700000151';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.plans ADD COLUMN root_plan_id text;
      ALTER TABLE runs.runs
        ADD COLUMN root_plan_id text,
        -- In thousandths of a credit; null for no limit of its own.
        ADD COLUMN credits_max bigint CONSTRAINT runs_credits_max_not_negative CHECK (credits_max >= 0);
      CREATE INDEX runs_of_plan ON runs.runs (root_plan_id, created_at) WHERE root_plan_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX runs.runs_of_plan;
      ALTER TABLE runs.runs DROP COLUMN root_plan_id, DROP COLUMN credits_max;
      ALTER TABLE runs.plans DROP COLUMN root_plan_id;
    `);
  }
}
