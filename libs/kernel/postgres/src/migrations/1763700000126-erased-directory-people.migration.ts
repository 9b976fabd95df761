import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People who must stay out of imported directories. The table is stored with the receipts and not with the directories,
 * because backups include the former and exclude the latter.
 */
export class AddErasedDirectoryPeople1763700000126 implements MigrationInterface {
  readonly name = 'AddErasedDirectoryPeople1763700000126';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE erasure.directory_people (
        -- Of what a line says of the person. Each line of a file is compared, so it cannot be a slow hash.
        subject_sha256 bytea PRIMARY KEY CHECK (length(subject_sha256) = 32),
        erased_at      timestamptz NOT NULL DEFAULT clock_timestamp()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE erasure.directory_people');
  }
}
