import type { JobErrorCode } from '@quarry/error-codes';
import { setTimeout as delay } from 'node:timers/promises';
import { ProviderFailure, type ProviderCall } from '@quarry/engine';
import type { ControlOutcome } from './control-domain.js';
import type { FlakyCalls } from './flaky-calls.js';

const FAILURES: Readonly<Partial<Record<ControlOutcome['kind'], [code: JobErrorCode, message: string]>>> = {
  timeout: ['timeout', 'The provider did not answer in time.'],
  capacity: ['capacity', 'The provider is at its capacity.'],
  'provider-error': ['provider_error', 'The provider failed.'],
  'provider-unavailable': ['provider_unavailable', 'No provider is available for this lookup.'],
  'invalid-output': ['invalid_output', 'The provider returned an invalid answer.'],
  rejected: ['provider_rejected', 'The provider refused this input.'],
  interrupted: ['interrupted', 'The search was interrupted.'],
};

/**
 * Applies the effects of a control domain that are the same for every service: wait or fail.
 * @throws ProviderFailure
 */
export async function obeyControl(
  control: ControlOutcome,
  call: ProviderCall,
  flaky: FlakyCalls,
): Promise<void> {
  if (control.kind === 'slow') await delay(control.seconds * 1000, undefined, { signal: call.signal });
  const failure = FAILURES[control.kind];
  if (failure) throw new ProviderFailure(failure[0], failure[1], { provider: 'sandbox' });
  if (control.kind === 'flaky' && flaky.isFirst(call.searchId)) {
    throw new ProviderFailure('provider_error', 'The provider failed for a moment.', {
      provider: 'sandbox',
      isTransient: true,
    });
  }
}
