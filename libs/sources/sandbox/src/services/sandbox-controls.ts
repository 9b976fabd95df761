import type { JobErrorCode } from '@quarry/error-codes';
import { setTimeout as delay } from 'node:timers/promises';
import { ProviderFailure, type ProviderCall } from '@quarry/engine';
import { controlOutcome, type ControlOutcome } from './control-domain.js';

const FAILURES: Readonly<Partial<Record<ControlOutcome['kind'], [code: JobErrorCode, message: string]>>> = {
  timeout: ['timeout', 'The provider did not answer in time.'],
  capacity: ['capacity', 'The provider is at its capacity.'],
  'provider-error': ['provider_error', 'The provider failed.'],
  'provider-unavailable': ['provider_unavailable', 'No provider is available for this lookup.'],
  'invalid-output': ['invalid_output', 'The provider returned an invalid answer.'],
  rejected: ['provider_rejected', 'The provider refused this input.'],
  interrupted: ['interrupted', 'The search was interrupted.'],
};
// Jobs are short-lived; the limit bounds the memory of a long-lived process.
const REMEMBERED_MAX = 10_000;

/** Applies the effects of control domains that are the same for every service. */
export class SandboxControls {
  /** Searches that have failed once, for the control domain whose first call fails. */
  private readonly failed = new Set<string>();

  /**
   * Waits or fails, as the input requests.
   * @returns the requested outcome; null when there is none
   * @throws ProviderFailure; the signal's reason when it fires
   */
  async obeyControl(input: unknown, { searchId, signal }: ProviderCall): Promise<ControlOutcome | null> {
    const control = controlOutcome(input);
    await delay(control?.kind === 'slow' ? control.seconds * 1000 : 0, undefined, { signal });
    const failure = control && FAILURES[control.kind];
    if (failure) throw new ProviderFailure(failure[0], failure[1], { provider: 'sandbox' });
    if (control?.kind === 'flaky' && this.isFirst(searchId))
      throw new ProviderFailure('provider_error', 'The provider failed for a moment.', {
        provider: 'sandbox',
        isTransient: true,
      });
    return control;
  }

  private isFirst(searchId: string): boolean {
    if (this.failed.delete(searchId)) return false;
    if (this.failed.size >= REMEMBERED_MAX) this.failed.clear();
    this.failed.add(searchId);
    return true;
  }
}
