import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Existing destinations in CRMs keep replacing values; new ones fill empty fields unless configured otherwise. */
export class MarkOverwritingDestinations1763700000265 implements MigrationInterface {
  readonly name = 'MarkOverwritingDestinations1763700000265';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL app.org_id = '*';
      UPDATE destinations.destinations SET settings = (settings::jsonb || '{"overwrite": true}')::json
      WHERE kind IN ('hubspot_contacts', 'hubspot_companies', 'pipedrive_persons');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL app.org_id = '*';
      UPDATE destinations.destinations SET settings = (settings::jsonb - 'overwrite')::json;
    `);
  }
}
