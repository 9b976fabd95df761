import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Removes the hints of organisations' own vendor keys with fewer than 16 characters: the hint was up to half of the key.
 * The length follows from the sealed text: its last part holds 28 bytes and the key, in base64url.
 */
export class ForgetHintsOfShortKeys1763700000131 implements MigrationInterface {
  readonly name = 'ForgetHintsOfShortKeys1763700000131';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL app.org_id = '*';
      UPDATE identity.vendor_choices SET key_hint = ''
      WHERE key_hint <> '' AND length(split_part(sealed_key, '.', 4)) < 59;
    `);
  }

  /** Deleted hints cannot be restored. */
  async down(): Promise<void> {}
}
