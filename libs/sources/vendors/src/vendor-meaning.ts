import { failureOfVerdict, type Verdict, type OperatorTask, type ProviderFailure } from '@quarry/engine';
import type { Meaning } from './vendor.js';

/** Usual meanings of statuses; a vendor's definition overrides them. */
const USUAL: Readonly<Record<number, Meaning>> = {
  400: 'rejected',
  401: 'auth',
  402: 'credits',
  403: 'auth',
  408: 'transient',
  413: 'rejected',
  422: 'rejected',
  429: 'rate',
};

/** @returns the meaning of a status outside the 200s when the vendor's definition has none */
export function usualMeaning(status: number): Meaning {
  return USUAL[status] ?? (status >= 500 ? 'transient' : 'failed');
}

const VERDICTS: Readonly<Record<Exclude<Meaning, 'miss'>, Verdict & { needsOperator?: OperatorTask }>> = {
  rejected: { code: 'provider_rejected', isTransient: false },
  auth: { code: 'provider_unavailable', isTransient: false, needsOperator: 'key' },
  credits: { code: 'provider_unavailable', isTransient: false, needsOperator: 'credits' },
  rate: { code: 'capacity', isTransient: true },
  transient: { code: 'provider_error', isTransient: true },
  failed: { code: 'provider_error', isTransient: false },
};

/** @param retryAfterMs time after which the vendor accepts calls again, if it reports one */
export function failureOfMeaning(
  provider: string,
  meaning: Exclude<Meaning, 'miss'>,
  retryAfterMs?: number,
): ProviderFailure {
  const { needsOperator, ...verdict } = VERDICTS[meaning];
  return failureOfVerdict(provider, verdict, {
    retryAfterMs: verdict.isTransient ? retryAfterMs : undefined,
    needsOperator,
  });
}
