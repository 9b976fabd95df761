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

/** Ids of a service's providers in call order. Omitted services keep the default order. */
export type ProviderOrder = Readonly<Record<string, readonly string[]>>;

/** Step of one provider in the route of a service. */
export interface RouteStep<Provider = LookupProvider> {
  readonly provider: Provider;
  /** Data it is called for: the sandbox has fictional data of its own, about which no other provider is called. */
  readonly worlds: 'any' | 'real' | 'sandbox';
  /** Party that the provider bills. */
  readonly paidBy: 'operator' | 'organisation';
  /** Statuses of an address at which the search stops; null to stop at every result. */
  readonly stopsAt: readonly string[] | null;
}

export interface WaterfallOptions {
  /** Returns the vendors that an error suggests when no provider could be called; if omitted, none. */
  vendorsOf?: VendorsOf;
  /** @param isAlone true when no real provider serves the service */
  isOfSandbox?: (call: ProviderCall, isAlone: boolean) => boolean;
}

/**
 * Calls the providers of a service in the order of its route until one finds something. After a miss or a failure the next
 * one is called. The result is the best of all: a find, else a miss, else the failure whose retry is most promising. A
 * provider that cannot work with the input is skipped, which does not count as a miss.
 */
export class Waterfall {
  private readonly vendorsOf: VendorsOf;
  private readonly isOfSandbox: NonNullable<WaterfallOptions['isOfSandbox']>;

  /** @param routeOf returns the providers of a service, in order */
  constructor(
    private readonly routeOf: (service: string) => readonly RouteStep[],
    { vendorsOf = () => [], isOfSandbox = () => false }: WaterfallOptions = {},
  ) {
    this.vendorsOf = vendorsOf;
    this.isOfSandbox = isOfSandbox;
  }

  /** @returns ids of the providers of a service, in call order. */
  providersOf(service: string): string[] {
    return this.routeOf(service).map(({ provider }) => provider.id);
  }

  /**
   * @returns the result, with the trail of all providers
   * @throws ProviderFailure with that trail: `provider_unavailable` when no provider serves this service, or only the
   *   sandbox does and the input is not part of its data; `provider_rejected` when no provider can work with the input;
   *   `timeout` at the deadline; else the failure whose retry is most promising
   * @throws the signal's reason when the search was aborted
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
        // A miss costs more after a completed Deep search, so that result takes precedence.
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

/** Measures the step of one provider. */
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

/**
 * Returns the priority of a failure. 3: a bug of ours, which must be visible; 2: transient; 1: retryable later; 0: the same
 * input fails again.
 */
function failurePriority(error: unknown): number {
  if (!(error instanceof ProviderFailure)) return 3;
  if (error.options.isTransient) return 2;
  return Number(JOB_ERROR_CODES[error.code].retryable);
}

/**
 * Returns the error for an aborted search. A deadline is a failure of the search, which has a trail; other aborts come from
 * the caller.
 */
function endOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ProviderFailure || !isLate(signal)) return error;
  return new ProviderFailure('timeout', 'The search did not end in time.', { provider: null, cause: error });
}

/** Returns true when the signal fired because of its deadline. */
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
