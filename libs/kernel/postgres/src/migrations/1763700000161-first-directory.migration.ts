import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records that a directory has been imported once, even if it was dropped since or was not in a restored backup: from
 * then on the sandbox does not serve live keys.
 */
export class AddFirstDirectory1763700000161 implements MigrationInterface {
  readonly name = 'AddFirstDirectory1763700000161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE directory.first_import (
        is_only     boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
        imported_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      INSERT INTO directory.first_import (imported_at)
        SELECT min(imported_at) FROM directory.directories HAVING count(*) > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE directory.first_import');
  }
}
