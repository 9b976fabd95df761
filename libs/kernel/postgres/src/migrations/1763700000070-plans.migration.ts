import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans for review: the interpretation of a prompt before anything runs. A run that is started from a plan copies it. */
export class AddPlans1763700000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE runs.plans (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL,
        prompt text NOT NULL,
        workspace_id text,
        conversation_id text,
        output_contract jsonb,
        planner text NOT NULL,
        -- What the journal of a run holds after its first step, and what that was read from, in words.
        plans jsonb NOT NULL,
        understood jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX plans_by_age ON runs.plans (created_at);
      CREATE INDEX plans_of_organisation ON runs.plans (org_id, mode, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE runs.plans');
  }
}
