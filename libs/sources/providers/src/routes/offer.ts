import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { LookupProvider } from '@quarry/engine';
import type { Candidate, ProviderKind } from './service-route.js';

/** Implementations of a provider's services. */
interface Answers {
  readonly lookup?: LookupProvider;
  readonly companies?: CompanyDirectory | null;
  readonly people?: PeopleDirectory | null;
}

/** Provider with the implementations of its services. */
export type Offer = Candidate & Answers;

export function offerOf(kind: ProviderKind, id: string, answers: Answers): Offer {
  const { lookup, companies, people } = answers;
  const services = [
    ...(lookup?.services ?? []),
    ...(companies ? ['searchCompanies'] : []),
    ...(people ? ['searchPeople'] : []),
  ];
  return { ...answers, id, kind, services };
}

export function lookupOffer(kind: ProviderKind, lookup: LookupProvider): Offer {
  return offerOf(kind, lookup.id, { lookup });
}
