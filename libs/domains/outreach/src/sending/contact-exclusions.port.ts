import type { Ctx } from '@quarry/app';

/** The exclusion lists of an organisation. Implemented by another library. */
export abstract class ContactExclusionsPort {
  /**
   * @param variables of the contact, which may name a LinkedIn profile
   * @returns whether a list names the contact, or the company of the address's domain
   */
  abstract isExcluded(ctx: Ctx, email: string, variables: Record<string, unknown>): Promise<boolean>;
}
