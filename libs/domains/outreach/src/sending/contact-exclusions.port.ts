import type { Ctx } from '@quarry/app';

/** The exclusion lists of an organisation, which belong to another library. */
export abstract class ContactExclusionsPort {
  /**
   * @param variables of the contact, which may name a LinkedIn profile
   * @returns whether a list names the contact, or the company whose domain the address has
   */
  abstract isExcluded(ctx: Ctx, email: string, variables: Record<string, unknown>): Promise<boolean>;
}
