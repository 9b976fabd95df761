import { describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { useTestDatabase } from '@quarry/testing';

const ORG = { ...systemCtx('spec', 'org_own'), mode: 'live' as const };
const JOBS = 5_000;

interface Node {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

describe('finding answers to reuse', () => {
  const test = useTestDatabase();

  it('looks up each key, also if the plan is made before the first statistics', async () => {
    await test.asAdmin('ALTER TABLE jobs.jobs SET (autovacuum_enabled = false)');
    await test.database.query(
      ORG,
      `WITH batch AS (INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
         VALUES ('batch_1', 'org_own', 'live', 'getEmail', 1, 0, clock_timestamp()) RETURNING id)
       INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, share_key, reuse_key, state, price, provider,
         result, completed_at, key_id)
       SELECT 'job_' || n, 'org_own', 'live', 'getEmail', batch.id, n, '{}', 'share_' || n, 'reuse_' || n, 'completed', 0, 'sandbox',
         '{"found": true}', clock_timestamp(), 'key_1'
       FROM batch, generate_series(1, ${JOBS}) AS n`,
    );
    const keys = Array.from({ length: 50 }, (_, n) => `reuse_${n * 7 + 1}`);
    const rows = await test.database.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      ORG,
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
       SELECT * FROM jobs.find_answers('{org_own,live}', 'getEmail', '{}', '{${keys.join(',')}}', 86400, false)`,
    );
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(20 * keys.length);
  });

  it('finds none of another organisation, mode or service under the same key, whatever it may read', async () => {
    const owners = [
      'org_a,live,getEmail',
      'org_b,live,getEmail',
      'org_a,test,getEmail',
      'org_a,live,getPhoneNumber',
    ];
    const find = async (owner: string): Promise<string[]> => {
      const [org, mode, service] = owner.split(',');
      const rows = await test.database.query<{ id: string }>(
        systemCtx('spec'),
        `SELECT id FROM jobs.find_answers('{${org},${mode}}', '${service}', '{}', '{same_key}', 86400, false)`,
      );
      return rows.map(({ id }) => id);
    };
    for (const owner of owners) {
      const values = `'${owner.replaceAll(',', "', '")}'`;
      expect(await find(owner)).toEqual([]);
      await test.database.query(
        systemCtx('spec'),
        `WITH batch AS (INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at)
           VALUES ('batch of ${owner}', ${values}, 1, 0, clock_timestamp()) RETURNING *)
         INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, share_key, reuse_key, state, price,
           provider, result, completed_at, key_id)
         SELECT 'job of ${owner}', org_id, mode, service, id, 0, '{}', 'share', 'same_key', 'completed', 0, 'sandbox',
           '{"found": true}', clock_timestamp(), 'key_1' FROM batch`,
      );
    }
    for (const owner of owners) expect(await find(owner)).toEqual([`job of ${owner}`]);
  });
});
