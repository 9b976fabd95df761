import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows of the views of workspaces are those that their reader may see, not those of the views' owner. */
export class ViewsOfWorkspacesAskTheReader1763700000271 implements MigrationInterface {
  readonly name = 'ViewsOfWorkspacesAskTheReader1763700000271';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER VIEW tables.open_workspaces SET (security_invoker = true);
      ALTER VIEW tables.known_workspaces SET (security_invoker = true)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER VIEW tables.open_workspaces RESET (security_invoker);
      ALTER VIEW tables.known_workspaces RESET (security_invoker)`);
  }
}
