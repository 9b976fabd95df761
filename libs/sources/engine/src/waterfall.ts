import { JOB_ERROR_CODES } from '@quarry/error-codes';
import {
  ProviderFailure,
  SearchLostError,
  type LookupProvider,
  type ProviderAnswer,
  type ProviderCall,
  type TrailStep,
} from './ports/lookup.port.js';
import { SANDBOX } from './settings/providers-file.js';
import { outsideSandboxReason, tooLittleReason, type VendorsOf } from './unavailable-reason.js';

/** Ids of a service's providers in the order of their calls. Services that it leaves out keep the usual order. */
export type ProviderOrder = Readonly<Record<string, readonly string[]>>;

/** Place of one provider in the answering of a service. */
export interface RouteStep<Provider = LookupProvider> {
  readonly provider: Provider;
  /** Worlds that it is asked about: the sandbox has one of its own, which may be nobody else's. */
  readonly worlds: 'any' | 'real' | 'sandbox';
  /** Payer of the provider. */
  readonly paidBy: 'operator' | 'organisation';
  /** Statuses of an address at which the search stops; null where it stops at every find. */
  readonly stopsAt: readonly string[] | null;
}

export interface WaterfallOptions {
  /** Named where nobody could be asked; left out, none is. */
  vendorsOf?: VendorsOf;
  /** @param isAlone nobody real answers the service */
  isOfSandbox?: (call: ProviderCall, isAlone: boolean) => boolean;
}

/**
 * Asks the providers of a service in the order of its route until one finds something. A provider that finds nothing or fails hands
 * on to the next; the last word is the best that was heard: a find, else a negative answer, else the failure that leaves
 * most hope. A provider that cannot work with the input is passed over, which is no negative answer.
 */
export class Waterfall {
  private readonly vendorsOf: VendorsOf;
  private readonly isOfSandbox: NonNullable<WaterfallOptions['isOfSandbox']>;

  /** @param routeOf returns who answers a service, in order */
  constructor(
    private readonly routeOf: (service: string) => readonly RouteStep[],
    { vendorsOf = () => [], isOfSandbox = () => false }: WaterfallOptions = {},
  ) {
    this.vendorsOf = vendorsOf;
    this.isOfSandbox = isOfSandbox;
  }

  /** @returns ids of the providers that answer a service, in the order in which they are asked. */
  providersOf(service: string): string[] {
    return this.routeOf(service).map(({ provider }) => provider.id);
  }

  /**
   * @returns the answer, with the trail of everybody who took part
   * @throws ProviderFailure with that trail: `provider_unavailable` when nobody answers this service, or the sandbox alone and the
   *   input is not of its world; `provider_rejected` when nobody can work with the input, `timeout` when its time was up, else the failure that leaves most hope
   * @throws the signal's reason when the search was taken away
   */
  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const trail: TrailStep[] = [];
    let negative: ProviderAnswer | null = null;
    let failure: unknown = null;
    const route = this.routeOf(call.service);
    for (const { provider, worlds, paidBy, stopsAt } of route) {
      const watch = new StepWatch(provider.id);
      if (!this.isOfWorld(call, worlds, route) || provider.acceptsCall?.(call) === false) {
        trail.push(watch.step('skipped'));
        continue;
      }
      try {
        const answer = withPayer(await provider.answerCall(stopsAt ? { ...call, stopsAt } : call), paidBy);
        trail.push(watch.answered(answer));
        if (answer.found) return { ...answer, trail };
        // A miss costs more when the Deep agent has finished, so that its answer is the one to keep.
        if (negative === null || answer.deep) negative = answer;
      } catch (error) {
        if (error instanceof SearchLostError) throw error;
        trail.push(watch.failed(error, call.signal));
        if (call.signal.aborted) throw withTrail(endOf(error, call.signal), trail);
        failure = failure === null || failurePriority(error) >= failurePriority(failure) ? error : failure;
      }
    }
    if (negative) return { ...negative, trail };
    throw withTrail(failure ?? this.noProviderTried(call.service, trail), trail);
  }

  private isOfWorld(call: ProviderCall, worlds: RouteStep['worlds'], route: readonly RouteStep[]): boolean {
    if (worlds === 'any') return true;
    const isAlone = !route.some((each) => each.worlds === 'real');
    return this.isOfSandbox(call, isAlone) === (worlds === 'sandbox');
  }

  private noProviderTried(service: string, trail: readonly TrailStep[]): ProviderFailure {
    const provider = null;
    if (trail.length === 0)
      return new ProviderFailure('provider_unavailable', 'No provider is configured for this service.', {
        provider,
      });
    const providers = trail.map((step) => step.provider).filter((id) => id !== SANDBOX);
    if (providers.length === 0)
      return new ProviderFailure('provider_unavailable', outsideSandboxReason(service, this.vendorsOf), {
        provider,
      });
    return new ProviderFailure('provider_rejected', tooLittleReason(service, providers, this.vendorsOf), {
      provider,
    });
  }
}

/** Measures one provider's part. */
class StepWatch {
  private readonly startedAt = new Date().toISOString();
  private readonly start = performance.now();

  constructor(private readonly provider: string) {}

  answered({ found, isDeclined, cost = null }: ProviderAnswer): TrailStep {
    return { ...this.step(found ? 'hit' : 'miss', isDeclined ? 'not_accepted' : null), cost };
  }

  failed(error: unknown, signal: AbortSignal): TrailStep {
    if (error instanceof ProviderFailure) return this.step('failed', error.code);
    if (!signal.aborted) return this.step('failed', 'service_execution_failed');
    return this.step('failed', isLate(signal) ? 'timeout' : 'interrupted');
  }

  step(outcome: TrailStep['outcome'], code: TrailStep['code'] = null): TrailStep {
    const duration = Math.round(performance.now() - this.start);
    return {
      provider: this.provider,
      outcome,
      code,
      started_at: this.startedAt,
      duration_ms: duration,
      cost: null,
    };
  }
}

/** 3: a mistake of ours, which must be seen; 2: may go better in a moment; 1: some day; 0: the same input is refused again. */
function failurePriority(error: unknown): number {
  if (!(error instanceof ProviderFailure)) return 3;
  if (error.options.isTransient) return 2;
  return Number(JOB_ERROR_CODES[error.code].retryable);
}

/** A deadline is a failure of the search, which has a trail; what else ends it is the caller's own doing. */
function endOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ProviderFailure || !isLate(signal)) return error;
  return new ProviderFailure('timeout', 'The search did not end in time.', { provider: null, cause: error });
}

/** A signal that fired by itself is the deadline. */
function isLate({ reason }: AbortSignal): boolean {
  return (reason as Error | undefined)?.name === 'TimeoutError';
}

function withPayer(answer: ProviderAnswer, paidBy: RouteStep['paidBy']): ProviderAnswer {
  return paidBy === 'organisation' ? { ...answer, paidBy } : answer;
}

function withTrail(error: unknown, trail: readonly TrailStep[]): unknown {
  if (error instanceof ProviderFailure) error.trail = trail;
  return error;
}
