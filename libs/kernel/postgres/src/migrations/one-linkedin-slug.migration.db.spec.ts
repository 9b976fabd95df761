import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database/spec-kit.js';
import { OneLinkedInSlug1763700000130 } from './1763700000130-one-linkedin-slug.migration.js';

type Runner = Parameters<OneLinkedInSlug1763700000130['up']>[0];

describe('the migration of LinkedIn slugs', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase({ as: 'owner' });
  });
  afterAll(() => test.drop());

  it('normalises each one, and deletes what is no slug of a person', async () => {
    const rows = await test.database.withConnection(async (client) => {
      await client.query(`
        CREATE TABLE directory.people_1 (LIKE directory.people INCLUDING ALL) INHERITS (directory.people);
        INSERT INTO directory.people_1 (position, id, first_name, last_name, full_name, full_name_folded, title_words,
          seniority_rank, experiences, educations, company_id, company_name, company_name_folded, company_technologies,
          company_keywords, company_hiring_departments, linkedin_slug, linkedin_url)
        SELECT n, n, 'x', 'x', 'x', 'x', '{}', 0, '[]', '[]', 'x', 'x', 'x', '{}', '{}', '{}', slug,
          'https://www.linkedin.com/in/' || slug
        FROM unnest(ARRAY['ada', 'm%c3%bcller', 'g' || U&'u\\0308' || 'l', 'de', '%fcller', 'm%c3%9cller'])
          WITH ORDINALITY AS t (slug, n)`);
      const runner = {
        query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows,
      } as unknown as Runner;
      await new OneLinkedInSlug1763700000130().up(runner);
      const found = await client.query(
        'SELECT linkedin_slug, linkedin_url FROM directory.people ORDER BY position',
      );
      return found.rows as unknown[];
    });
    const known = (slug: string, escaped: string) => ({
      linkedin_slug: slug,
      linkedin_url: `https://www.linkedin.com/in/${escaped}`,
    });
    const unknown = { linkedin_slug: null, linkedin_url: null };
    expect(rows).toEqual([
      known('ada', 'ada'),
      known('m\u00fcller', 'm%C3%BCller'),
      known('g\u00fcl', 'g%C3%BCl'),
      unknown,
      unknown,
      known('m\u00fcller', 'm%C3%BCller'),
    ]);
  });
});
