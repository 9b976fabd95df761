import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures that were made while work was open. That work may have read the person before and may write them afterwards,
 * so the erasure is repeated when it has ended; until then the receipt stores the name by which the person is found.
 */
export class AddFollowedErasures1763700000165 implements MigrationInterface {
  readonly name = 'AddFollowedErasures1763700000165';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE erasure.receipts ADD COLUMN subject jsonb, ADD COLUMN followed_at timestamptz;
      CREATE INDEX erasures_to_follow ON erasure.receipts (done_at) WHERE subject IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX erasure.erasures_to_follow;
      ALTER TABLE erasure.receipts DROP COLUMN subject, DROP COLUMN followed_at;
    `);
  }
}
