import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { pageFailure } from '../pages/page-failure.js';
import type { DomainSearch } from './domain-search.js';

/** Implements findDomain: finds the domain whose home page has the name of the company. */
export class FindDomainProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findDomain'];

  constructor(private readonly search: DomainSearch) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { company } = input as { company: string };
    const found = await this.search.findDomain(company, signal).catch(pageFailure(this.id));
    const { domain = null, confidence = null } = found ?? {};
    return answerOf(this.id, found !== null, { domain, confidence });
  }
}
