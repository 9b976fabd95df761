import type { ProviderAnswer, ProviderCall, LookupProvider } from '../../ports/lookup.port.js';
import type { DomainSearch } from './domain-search.js';

/** findDomain: the domain whose home page gives itself the name of the company. */
export class FindDomainProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findDomain'];

  constructor(private readonly search: DomainSearch) {}

  async run({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const found = await this.search.find((input as { company: string }).company, signal);
    const output = {
      domain: found?.domain ?? null,
      confidence: found?.confidence ?? null,
      provider: this.id,
    };
    return { found: found !== null, deep: false, provider: this.id, output };
  }
}
