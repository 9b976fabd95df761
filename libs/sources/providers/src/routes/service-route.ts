import type { Mode } from '@quarry/app';
import { ACCEPTED_STATUSES, SANDBOX, type ProviderOrder, type RouteStep } from '@quarry/engine';

/**
 * Kind of a provider: `operator` is the operator's own vendor, `vendor` one of the catalogue with the operator's key, `own`
 * one with the key of an organisation.
 */
export type ProviderKind =
  'model' | 'web' | 'operator' | 'vendor' | 'research' | 'own' | 'imported' | 'sandbox';

/** Properties of a provider that decide its position in a route. */
export interface Candidate {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly services: readonly string[];
}

/** Providers of an organisation, and its choices about those of the operator. */
export interface TenantChoices<Provider extends Candidate> {
  readonly own: readonly Provider[];
  /** Ids of vendors that it has disabled. */
  readonly off: ReadonlySet<string>;
  readonly imported: readonly Provider[];
  /** True when the installation has ever had a directory: then the sandbox serves no live key. */
  readonly hasHadDirectory: boolean;
}

export const NO_CHOICES: TenantChoices<never> = {
  own: [],
  off: new Set(),
  imported: [],
  hasHadDirectory: false,
};

export interface RouteFacts<Provider extends Candidate> {
  readonly mode: Mode;
  /** Providers that the operator has in this mode, including the sandbox. */
  readonly operators: readonly Provider[];
  readonly order: ProviderOrder;
  /** Statuses of an address that the operator counts as found; null when not configured. */
  readonly accepted: readonly string[] | null;
  readonly tenant: TenantChoices<Provider>;
}

const SEARCHES: ReadonlySet<string> = new Set(['searchCompanies', 'searchPeople']);
/**
 * Default order: imported data is as old as its file, so lookups prefer live providers; searches start with the
 * imported data.
 */
const LOOKUP_PLACES = ['model', 'web', 'operator', 'vendor', 'research', 'own', 'imported'] as const;
const SEARCH_PLACES = ['imported', 'vendor', 'own', 'web'] as const;

/** @returns the providers of a service for an organisation, in call order */
export function routeOf<Provider extends Candidate>(
  service: string,
  facts: RouteFacts<Provider>,
): Array<RouteStep<Provider>> {
  const sandbox = facts.operators.filter(
    (each) => each.kind === 'sandbox' && each.services.includes(service),
  );
  if (facts.mode === 'test') return sandbox.map((provider) => stepOf(provider, 'any'));
  const real = realProviders(service, facts);
  const isShared = sandbox.length > 0 && isLeftToSandbox(service, facts, real);
  return [
    ...real.map((provider) => ({
      ...stepOf(provider, isShared ? 'real' : 'any'),
      stopsAt: stopOf(service, provider, facts.accepted),
    })),
    ...(isShared ? sandbox.map((provider) => stepOf(provider, 'sandbox')) : []),
  ];
}

function stepOf<Provider extends Candidate>(
  provider: Provider,
  worlds: RouteStep['worlds'],
): RouteStep<Provider> {
  return { provider, worlds, paidBy: provider.kind === 'own' ? 'organisation' : 'operator', stopsAt: null };
}

/**
 * Returns the accepted statuses of a provider. Vendors have a default; for the web only the operator's setting counts;
 * others stop at every result.
 */
function stopOf(
  service: string,
  { kind }: Candidate,
  accepted: RouteFacts<Candidate>['accepted'],
): RouteStep['stopsAt'] {
  if (service !== 'getEmail') return null;
  if (kind === 'vendor' || kind === 'own') return accepted ?? ACCEPTED_STATUSES;
  return kind === 'web' ? accepted : null;
}

/**
 * Orders the real providers. A vendor with an organisation's own key replaces the operator's. Providers that a configured
 * order does not name are omitted, except those of the organisation, which come last.
 */
function realProviders<Provider extends Candidate>(service: string, facts: RouteFacts<Provider>): Provider[] {
  const { operators, order, tenant } = facts;
  const answers = ({ kind, services }: Candidate): boolean =>
    kind !== 'sandbox' && services.includes(service);
  const answering = operators.filter(answers);
  const inPlace = answering
    .filter((each) => !tenant.off.has(each.id) && isUsable(service, each, answering, facts))
    .map((each) => ({ kind: each.kind, provider: tenant.own.find(({ id }) => id === each.id) ?? each }));
  const behind = [...tenant.own, ...tenant.imported]
    .filter((each) => answers(each) && !inPlace.some(({ provider }) => provider === each))
    .map((provider) => ({ kind: provider.kind, provider }));
  const places: readonly ProviderKind[] = SEARCHES.has(service) ? SEARCH_PLACES : LOOKUP_PLACES;
  const usual = places.flatMap((place) =>
    [...inPlace, ...behind].flatMap(({ kind, provider }) => (kind === place ? [provider] : [])),
  );
  if (!Object.hasOwn(order, service)) return usual;
  const named = order[service]!.flatMap((name) => usual.filter(({ id }) => id === name));
  const isOfTenant = ({ kind }: Candidate): boolean => kind === 'own' || kind === 'imported';
  return [...named, ...usual.filter((each) => isOfTenant(each) && !named.includes(each))];
}

function isUsable(
  service: string,
  { kind }: Candidate,
  answering: readonly Candidate[],
  facts: RouteFacts<Candidate>,
): boolean {
  // The company search of the web needs a provider of webSearch.
  if (kind === 'web' && SEARCHES.has(service)) return routeOf('webSearch', facts).length > 0;
  // Research continues as the Deep agent after a miss of another real provider; alone it would not be a plain search.
  return kind !== 'research' || service === 'webResearch' || answering.some((each) => each.kind !== kind);
}

/**
 * Returns whether the sandbox serves a service in addition to the real providers. It must not follow a miss of a real
 * provider, nor replace a disabled one. Next to providers that need no vendor, it serves its own fictional data, for which
 * they are not called.
 */
function isLeftToSandbox(service: string, facts: RouteFacts<Candidate>, real: readonly Candidate[]): boolean {
  const { order, tenant } = facts;
  if (tenant.hasHadDirectory || real.some(({ kind }) => kind === 'own')) return false;
  const ofOperator = realProviders(service, { ...facts, tenant: NO_CHOICES });
  if (SEARCHES.has(service)) return real.length === 0 && ofOperator.length === 0;
  if (Object.hasOwn(order, service)) return order[service]!.includes(SANDBOX);
  // The company search uses the providers of webSearch: with the sandbox, fictional results would pass for those of the real
  // web.
  return service !== 'webSearch' && !ofOperator.some(({ kind }) => kind === 'operator' || kind === 'vendor');
}
