import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids of ended runs and enrichments, for held reads of all organisations: a process that answers calls asks for all of them in
 * one statement, and its role sees the rows of one organisation at a time. A view is read with the rights of its owner.
 */
export class ShowFinishedWork1763700000269 implements MigrationInterface {
  readonly name = 'ShowFinishedWork1763700000269';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE VIEW runs.finished_runs AS SELECT id FROM runs.runs WHERE ended_at IS NOT NULL;
      CREATE VIEW runs.finished_enrichments AS SELECT id FROM runs.enrichments WHERE ended_at IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW runs.finished_enrichments; DROP VIEW runs.finished_runs');
  }
}
