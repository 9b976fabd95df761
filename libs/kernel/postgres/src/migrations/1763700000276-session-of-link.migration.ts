import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions that began with a login link: whoever has lost a password sets a new one without it. */
export class AddLinkOfSession1763700000276 implements MigrationInterface {
  readonly name = 'AddLinkOfSession1763700000276';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.sessions ADD COLUMN is_by_link boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.sessions DROP COLUMN is_by_link');
  }
}
