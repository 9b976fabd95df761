import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows per page of reads and writes. */
const PAGE = 10_000;
/** Tables of directories with their slug columns, and the address column of each. */
const SLUGS = [
  ['directory.companies', 'linkedin_slug', 'linkedin_url', 'company'],
  ['directory.people', 'linkedin_slug', 'linkedin_url', 'in'],
  ['directory.people', 'company_linkedin_slug', 'company_linkedin_url', 'company'],
] as const;

/**
 * Normalises the slugs of LinkedIn addresses in imported directories: decoded, NFC, lower case. Earlier imports kept the
 * last path segment of an address, so that the slug of some people is a language or a sub-page. Those lose the slug and
 * the address built from it, because the right one is only in the file.
 */
export class OneLinkedInSlug1763700000130 implements MigrationInterface {
  readonly name = 'OneLinkedInSlug1763700000130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE directory.people SET linkedin_slug = NULL, linkedin_url = NULL
      WHERE linkedin_slug ~ '^([a-z]{2}|recent-activity|overlay|details|contact-info)$'
    `);
    for (const [table, slug, url, section] of SLUGS) {
      let last = '';
      for (;;) {
        const rows = (await runner.query(
          `SELECT DISTINCT ${slug} AS old FROM ${table}
           WHERE ${slug} > $1 AND (${slug} LIKE '%\\%%' OR octet_length(${slug}) > length(${slug}))
           ORDER BY 1 LIMIT ${PAGE}`,
          [last],
        )) as Array<{ old: string }>;
        if (rows.length === 0) break;
        last = rows.at(-1)!.old;
        const changed = rows.map(({ old }) => [old, decoded(old)] as const).filter(([a, b]) => a !== b);
        await runner.query(
          `UPDATE ${table} AS t SET ${slug} = s.now,
             ${url} = CASE WHEN ${url} LIKE 'https://www.linkedin.com/%' THEN 'https://www.linkedin.com/${section}/' || s.escaped
                           ELSE ${url} END
           FROM unnest($1::text[], $2::text[], $3::text[]) AS s (old, now, escaped) WHERE t.${slug} = s.old`,
          [
            changed.map(([old]) => old),
            changed.map(([, now]) => now),
            changed.map(([, now]) => now && encodeURIComponent(now)),
          ],
        );
      }
    }
  }

  /** The previous release reads the new slugs as well as the old ones. */
  async down(): Promise<void> {}
}

/** @returns null for a text that cannot be part of an address */
function decoded(slug: string): string | null {
  try {
    return decodeURIComponent(slug).normalize('NFC').toLowerCase().normalize('NFC');
  } catch {
    return null;
  }
}
