import { Injectable } from '@nestjs/common';
import type { ExclusionKind } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { ofTenant, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import { linkedinAddress } from './linkedin-address.js';
import { registrableDomain } from '@quarry/dto';
import { statement } from '../statements.types.js';

/** A company or person that a source has found. */
export interface ExclusionCandidate {
  domain?: string | null;
  linkedin_url?: string | null;
}

/** Tells which candidates are on an exclusion list. Uses indexes, so the length of the list does not matter. */
@Injectable()
export class ExclusionMatcher {
  constructor(private readonly database: Database) {}

  /**
   * @param kind the list to check. A candidate of the people list is the person's profile and the employer's domain
   * @returns the positions of the candidates whose domain or LinkedIn address is excluded
   */
  async excludedAmong(
    ctx: Ctx | TxCtx,
    kind: ExclusionKind,
    candidates: readonly ExclusionCandidate[],
  ): Promise<Set<number>> {
    const domains = candidates.map(({ domain }) => (domain ? registrableDomain(domain) : null));
    const addresses = candidates.map(({ linkedin_url: url }) => (url ? linkedinAddress(kind, url) : null));
    const hits = await this.database.query(ctx, FIND_EXCLUDED, [tenantOf(ctx), kind, domains, addresses]);
    return new Set(hits.map(({ at }) => at));
  }
}

// Scalar subqueries, not EXISTS: the planner may turn EXISTS into a hash of the whole list.
const FIND_EXCLUDED = statement(
  'exclusion-matcher.findExcluded',
  `
  SELECT n::int - 1 AS at FROM (
    SELECT g.n,
           (SELECT 1 FROM tables.exclusions e
            WHERE ${ofTenant('e')} AND e.kind = $2 AND e.entry_key = g.domain) AS by_domain,
           (SELECT 1 FROM tables.exclusions e
            WHERE ${ofTenant('e')} AND e.kind = $2 AND e.linkedin_url = g.linkedin_url LIMIT 1) AS by_address
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS g (domain, linkedin_url, n)
  ) AS asked WHERE by_domain IS NOT NULL OR by_address IS NOT NULL`,
).rows<{ at: number }>();
