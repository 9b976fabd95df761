import type { Mode } from '@quarry/app';
import { ACCEPTED_STATUSES, SANDBOX, type ProviderOrder, type RouteStep } from '@quarry/engine';

/**
 * Kind of a provider: `operator` is the operator's own vendor, `vendor` one of the catalogue with the operator's key, `own` one
 * with the key of an organisation.
 */
export type ProviderKind =
  'model' | 'web' | 'operator' | 'vendor' | 'research' | 'own' | 'imported' | 'sandbox';

/** A provider as far as its place among others is decided by it. */
export interface Candidate {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly services: readonly string[];
}

/** Providers of an organisation, and its choices about those of the operator. */
export interface TenantChoices<Provider extends Candidate> {
  readonly own: readonly Provider[];
  /** Ids of vendors that it does not want. */
  readonly off: ReadonlySet<string>;
  readonly imported: readonly Provider[];
  /** The installation has had a directory: then the sandbox answers no live key. */
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
  /** Providers that the operator has in this mode, the sandbox among them. */
  readonly operators: readonly Provider[];
  readonly order: ProviderOrder;
  /** Statuses of an address that the operator counts as found; null where it has not said. */
  readonly accepted: readonly string[] | null;
  readonly tenant: TenantChoices<Provider>;
}

const SEARCHES: ReadonlySet<string> = new Set(['searchCompanies', 'searchPeople']);
/** The usual order: an import is as old as its file, so that who looks now comes first, but a search begins with the own data. */
const LOOKUP_PLACES = ['model', 'web', 'operator', 'vendor', 'research', 'own', 'imported'] as const;
const SEARCH_PLACES = ['imported', 'vendor', 'own', 'web'] as const;

/** @returns who answers a service for an organisation, in the order in which they are asked */
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

/** The web itself counts what a company prints, where the operator has not said; all others that are not here are taken as they are. */
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
 * Puts real providers in order. A vendor with an organisation's own key stands in the place of the operator's; what an order does not
 * name is left out, but for what belongs to the organisation, which comes behind.
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
  // Companies of the web are found by whoever searches it.
  if (kind === 'web' && SEARCHES.has(service)) return routeOf('webSearch', facts).length > 0;
  // As the Deep agent it goes on where somebody real has found nothing; alone it would be no plain search.
  return kind !== 'research' || service === 'webResearch' || answering.some((each) => each.kind !== kind);
}

/**
 * The sandbox must not follow the miss of a real provider, nor replace one that is switched off. Beside those who need no
 * vendor it answers about its own world, which they are not asked about.
 */
function isLeftToSandbox(service: string, facts: RouteFacts<Candidate>, real: readonly Candidate[]): boolean {
  const { order, tenant } = facts;
  if (tenant.hasHadDirectory || real.some(({ kind }) => kind === 'own')) return false;
  const ofOperator = realProviders(service, { ...facts, tenant: NO_CHOICES });
  if (SEARCHES.has(service)) return real.length === 0 && ofOperator.length === 0;
  if (Object.hasOwn(order, service)) return order[service]!.includes(SANDBOX);
  // The providers of webSearch decide about every search of the web: the sandbox would pass for an engine of the real web.
  return service !== 'webSearch' && !ofOperator.some(({ kind }) => kind === 'operator' || kind === 'vendor');
}
