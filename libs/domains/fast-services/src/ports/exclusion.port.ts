import type { Ctx } from '@quarry/app';

/** Fields of a find that an exclusion list is matched by. */
export interface ExclusionCandidate {
  domain: string | null;
  linkedin_url: string | null;
}

/** Says which finds the organisation has excluded. */
export abstract class ExclusionPort {
  /** @returns the indexes of the candidates that are excluded */
  abstract excludedAmong(
    ctx: Ctx,
    kind: 'companies' | 'people',
    candidates: readonly ExclusionCandidate[],
  ): Promise<Set<number>>;
}
