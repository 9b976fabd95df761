import { toCredits } from '@quarry/credit-ledger';
import type { ResourceOf, ResponseOf, SERVICES_RPC } from '@quarry/dto';
import { ERROR_CODES, JOB_ERROR_CODES } from '@quarry/error-codes';
import type { Mode } from '@quarry/app';
import { SANDBOX, type Providers } from '@quarry/engine';
import { allServices, jsonSchemasOf, type AnyService } from '@quarry/service-catalog';

type ServiceJson = ResourceOf<ResponseOf<(typeof SERVICES_RPC)['getService']>>;
type ServicePageJson = ResourceOf<ResponseOf<(typeof SERVICES_RPC)['listServices']>>;

const JOB_ERRORS = Object.entries(JOB_ERROR_CODES).map(([code, { retryable }]) => ({ code, retryable }));
/** Errors of a direct call. Source: contract, POST /services/{serviceName}. */
const FAST_ERRORS = (
  [
    'validation_error',
    'insufficient_credits',
    'usage_limit',
    'provider_error',
    'upstream_error',
    'capability_error',
  ] as const
).map((code) => ({ code, retryable: ERROR_CODES[code].retryable }));

/** Providers of each service, or the reason why there is none. */
export interface CatalogueAnswerers {
  providersOf: (service: string) => string[];
  unavailableReason: Providers['unavailableReason'];
}

/** Page of GET /services. Source: docs/contract.md#5-services-jobs-credits. */
export function catalogueList(
  query: { limit: number; offset: number; q: string | null; mode: 'fast' | 'slow' | null },
  answerers: CatalogueAnswerers,
  mode: Mode,
): ServicePageJson {
  const wanted = (query.q ?? '').toLowerCase();
  const all = allServices()
    .filter((service) => query.mode === null || service.mode === query.mode)
    .filter((service) =>
      `${service.name} ${service.title} ${service.description}`.toLowerCase().includes(wanted),
    );
  const items = all
    .slice(query.offset, query.offset + query.limit)
    .map((service) => summaryOf(service, answerers, mode));
  const next = query.offset + query.limit;
  return { items, next_offset: next < all.length ? next : null };
}

/** Body of GET /services/{name}. */
export function catalogueItem(service: AnyService, answerers: CatalogueAnswerers, mode: Mode): ServiceJson {
  const schemas = jsonSchemasOf(service);
  return {
    ...summaryOf(service, answerers, mode),
    input_schema: schemas.input,
    output_schema: schemas.output,
    examples: [...service.examples],
    charge_rule: service.chargeRule,
    providers: answerers.providersOf(service.name).map((id, order) => ({ id, configured: true, order })),
    limits:
      service.mode === 'slow' ? { inputs_per_batch: 100, deadline_seconds: service.deadlineMs / 1000 } : {},
    errors: service.mode === 'slow' ? JOB_ERRORS : FAST_ERRORS,
  };
}

/** Reason for a live key when only the sandbox answers the service. */
const OWN_WORLD = 'Only the sandbox answers here, about its own fictional companies and people.';

function summaryOf(
  service: AnyService,
  { providersOf, unavailableReason }: CatalogueAnswerers,
  mode: Mode,
): ServicePageJson['items'][number] {
  const providers = providersOf(service.name);
  const { unit, hit, miss, max } = service.price;
  const available = providers.length > 0;
  const isOfSandbox = mode === 'live' && available && providers.every((id) => id === SANDBOX);
  return {
    name: service.name,
    title: service.title,
    description: isOfSandbox ? `${service.description} ${OWN_WORLD}` : service.description,
    category: service.category,
    mode: service.mode,
    available,
    unavailable_reason: available ? null : unavailableReason(service.name, mode),
    price: { unit, hit: toCredits(hit), miss: toCredits(miss), max: toCredits(max) },
    reuse_seconds: service.mode === 'slow' ? service.reuseSeconds : 0,
    links: {
      self: `/services/${service.name}`,
      run: service.mode === 'slow' ? '/v1/services/jobs/batch' : `/services/${service.name}`,
    },
  };
}
