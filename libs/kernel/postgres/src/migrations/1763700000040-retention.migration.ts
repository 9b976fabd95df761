import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the columns of retention: which runs were emptied, and which workspaces still exist (docs/retention.md). */
export class AddRetention1763700000040 implements MigrationInterface {
  readonly name = 'AddRetention1763700000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.runs ADD COLUMN emptied_at timestamptz;

      -- A narrow read for other rooms: what stood in a workspace that is not here any more can go.
      CREATE VIEW tables.known_workspaces AS SELECT org_id, id, mode FROM tables.workspaces;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW tables.known_workspaces; ALTER TABLE runs.runs DROP COLUMN emptied_at');
  }
}
