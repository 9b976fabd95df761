import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the vendor settings of each organisation: its own key, sealed, and whether the vendor is used for it. */
export class AddVendorChoices1763700000072 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.vendor_choices (
        org_id     text NOT NULL,
        mode       text NOT NULL CHECK (mode IN ('live', 'test')),
        vendor     text NOT NULL,
        enabled    boolean NOT NULL,
        -- Opens for this organisation, mode and vendor alone; null where only the switch was set.
        sealed_key text,
        -- The end of the key, so that people know which one it is.
        key_hint   text CHECK (length(key_hint) <= 4),
        changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, vendor),
        CHECK ((sealed_key IS NULL) = (key_hint IS NULL))
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.vendor_choices');
  }
}
