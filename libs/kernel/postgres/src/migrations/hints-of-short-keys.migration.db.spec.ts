import { expect, it } from '@jest/globals';
import { SealedSecrets } from '@quarry/app';
import { createTestDatabase } from '../database/spec-kit.js';
import { ForgetHintsOfShortKeys1763700000131 } from './1763700000131-hints-of-short-keys.migration.js';

type Runner = Parameters<ForgetHintsOfShortKeys1763700000131['up']>[0];

it('the migration of key hints deletes those of keys with fewer than 16 characters', async () => {
  const test = await createTestDatabase({ as: 'owner' });
  try {
    const secrets = new SealedSecrets(['s'.repeat(32)]);
    const rows = await test.database.withConnection(async (client) => {
      await client.query("BEGIN; SET LOCAL app.org_id = '*'");
      for (const length of [8, 15, 16, 40]) {
        const key = 'k'.repeat(length - 4) + 'last';
        await client.query(
          `INSERT INTO identity.vendor_choices (org_id, mode, vendor, enabled, sealed_key, key_hint)
           VALUES ('org', 'live', $1, true, $2, 'last')`,
          [String(length), secrets.sealSecret(['org'], key)],
        );
      }
      const runner = { query: (sql: string) => client.query(sql) } as unknown as Runner;
      await new ForgetHintsOfShortKeys1763700000131().up(runner);
      const found = await client.query<{ vendor: string; key_hint: string }>(
        'SELECT vendor, key_hint FROM identity.vendor_choices ORDER BY vendor::int',
      );
      await client.query('COMMIT');
      return found.rows.map(({ vendor, key_hint: hint }) => [vendor, hint]);
    });
    expect(rows).toEqual([
      ['8', ''],
      ['15', ''],
      ['16', 'last'],
      ['40', 'last'],
    ]);
  } finally {
    await test.drop();
  }
});
