import type { Ctx } from '@quarry/platform';
import type { DirectorySearchCall, DirectorySearchProvider, FoundPage } from '@quarry/providers';
import type { ExclusionPort } from './ports/exclusion.port.js';

type Item = FoundPage['output']['items'][number];

// An organisation may have excluded the first thousands of matches; this many are looked at together.
const PAGE = 500;

/** Searches until enough items are found that the organisation has not excluded, or no match is left. */
export class ItemSearch {
  constructor(private readonly exclusions: ExclusionPort) {}

  /** @throws what the provider throws; the signal's reason when it fires between two pages */
  async find(
    ctx: Ctx,
    provider: DirectorySearchProvider,
    call: Omit<DirectorySearchCall, 'offset'>,
  ): Promise<{ items: Item[]; provider: string }> {
    const items: Item[] = [];
    for (let offset = 0; ; offset += PAGE) {
      call.signal.throwIfAborted();
      const page = await provider.run({ ...call, limit: PAGE, offset });
      const barred = await this.barred(ctx, call.wanted.entity, page.output.items);
      items.push(...page.output.items.filter((_, i) => !barred.has(i)));
      if (items.length >= call.limit || page.isLast)
        return { items: items.slice(0, call.limit), provider: page.provider };
    }
  }

  /** A person is barred by the people's list, and by the companies' list through the employer. */
  private async barred(
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
