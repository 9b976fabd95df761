import type { Ctx } from '@quarry/app';

/** Fields of a result that are matched against exclusion lists. */
export interface ExclusionCandidate {
  domain: string | null;
  linkedin_url: string | null;
}

/** Checks results against the exclusion lists of the organisation. */
export abstract class ExclusionPort {
  /** @returns the indexes of the candidates that are excluded */
  abstract excludedAmong(
    ctx: Ctx,
    kind: 'companies' | 'people',
    candidates: readonly ExclusionCandidate[],
  ): Promise<Set<number>>;
}
