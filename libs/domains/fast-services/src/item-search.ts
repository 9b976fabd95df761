import type { Ctx } from '@quarry/app';
import type { DirectorySearchCall, DirectorySearchProvider, FoundPage } from '@quarry/engine';
import type { ExclusionPort } from './ports/exclusion.port.js';

type Item = FoundPage['output']['items'][number];

// Maximum page size: an organisation may have excluded the first thousands of matches.
const PAGE_MAX = 500;

/**
 * Searches until enough items are found that the organisation has not excluded, or no match is left. A directory may have
 * to pay for its results, so the first page has the requested size, and each further one is twice as large.
 */
export class ItemSearch {
  constructor(private readonly exclusions: ExclusionPort) {}

  /** @throws the provider's error; the signal's reason if it fires between two pages */
  async findItems(
    ctx: Ctx,
    provider: DirectorySearchProvider,
    call: Omit<DirectorySearchCall, 'offset'>,
  ): Promise<{ items: Item[]; provider: string; paidBy?: FoundPage['paidBy'] }> {
    const items: Item[] = [];
    let from: string | undefined;
    let offset = 0;
    for (let limit = call.limit; ; limit *= 2) {
      call.signal.throwIfAborted();
      const page = await provider.answerCall({
        ...call,
        limit: Math.min(limit, PAGE_MAX),
        offset,
        ...(from === undefined ? {} : { from }),
      });
      from = page.provider;
      offset += page.output.items.length;
      const excluded = await this.findExcluded(ctx, call.wanted.entity, page.output.items);
      items.push(...page.output.items.filter((_, i) => !excluded.has(i)));
      if (items.length >= call.limit || page.isLast)
        return {
          items: items.slice(0, call.limit),
          provider: page.provider,
          ...(page.paidBy ? { paidBy: page.paidBy } : {}),
        };
    }
  }

  /** Returns excluded items. People are excluded by the list of people, and by that of companies through their employer. */
  private async findExcluded(
    ctx: Ctx,
    entity: 'company' | 'person',
    items: readonly Item[],
  ): Promise<ReadonlySet<number>> {
    if (items.length === 0) return new Set();
    if (entity === 'company')
      return this.exclusions.excludedAmong(
        ctx,
        'companies',
        items.map((item) => ({ domain: textOf(item.domain), linkedin_url: textOf(item.linkedin_url) })),
      );
    const employers = items.map((item) => ({
      domain: textOf(item.company_domain),
      linkedin_url: textOf(item.company_linkedin_url),
    }));
    const people = items.map((item) => ({
      domain: textOf(item.company_domain),
      linkedin_url: textOf(item.linkedin_url),
    }));
    const [byEmployer, byPerson] = await Promise.all([
      this.exclusions.excludedAmong(ctx, 'companies', employers),
      this.exclusions.excludedAmong(ctx, 'people', people),
    ]);
    return new Set([...byEmployer, ...byPerson]);
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
