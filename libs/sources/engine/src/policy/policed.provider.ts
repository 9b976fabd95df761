import {
  CircuitBreaker,
  cleanText,
  KeyedSemaphore,
  RateWindows,
  RetryBudget,
  systemClock,
  type Clock,
  type Passage,
  type Rate,
} from '@quarry/resilience';
import { inSpan } from '@quarry/tracing';
import {
  ProviderFailure,
  type OperatorTask,
  type ProviderAnswer,
  type ProviderCall,
  type ServiceProvider,
} from '../ports/lookup.port.js';
import { timeLeftOf } from '../ports/timed-signal.js';
import type { CallOutcome, ProviderMetrics, Refusal } from './provider-metrics.js';
import type { ProviderPolicy } from './provider-policy.js';

/** Milliseconds assumed for a call whose signal has no deadline: the time limit of a fast service. */
const REQUEST_MS = 30_000;
/** Pause in milliseconds after a provider reports that it is at capacity without a retry time. */
const PAUSE_DEFAULT_MS = 1000;

export interface PolicedProviderOptions {
  clock?: Clock;
  /** Returns a number in [0, 1) for the jitter before a retry. */
  random?: () => number;
  /** Called when a provider is paused because only the operator can correct the cause. */
  onOperatorNeeded?: (provider: string, task: OperatorTask, restMs: number) => void;
  /** Called when so many calls fail that the provider is not called for a while; not again while its probes fail. */
  onOutage?: (provider: string, code: CallOutcome) => void;
}

/**
 * Applies a policy to a provider: limits on concurrent calls and on the rate, no calls while the provider requests a pause
 * or its breaker is open, and retries within a budget. This is the only layer of the product that retries provider calls,
 * because retries of two layers would multiply. A search that waits here keeps its lease, which the worker renews, and its
 * deadline is paused.
 */
export class PolicedProvider<
  Call extends ProviderCall = ProviderCall,
  Answer extends ProviderAnswer = ProviderAnswer,
> implements ServiceProvider<Call, Answer> {
  readonly id: string;
  readonly services: readonly string[];
  private readonly limit: KeyedSemaphore;
  private readonly budget: RetryBudget;
  private readonly breaker: CircuitBreaker | null;
  /** Rate windows by the list of rates: services with the same list share them. */
  private readonly rates = new Map<readonly Rate[], RateWindows>();
  private readonly clock: Clock;
  private readonly random: () => number;
  private pausedUntil = -Infinity;
  private readonly calls = new Map<CallOutcome, number>();
  private retries = 0;
  private cleanedStrings = 0;
  private readonly refusals: Record<Refusal, number> = { breaker: 0, pause: 0, wait: 0 };

  constructor(
    private readonly provider: ServiceProvider<Call, Answer>,
    private readonly policy: ProviderPolicy,
    private readonly options: PolicedProviderOptions = {},
  ) {
    this.id = provider.id;
    this.services = provider.services;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    const now = (): number => this.clock.now();
    this.limit = new KeyedSemaphore({ size: policy.concurrency });
    this.budget = new RetryBudget(policy.retries, now);
    this.breaker = policy.breaker && new CircuitBreaker(policy.breaker, now);
  }

  acceptsCall(call: Call): boolean {
    return this.provider.acceptsCall?.(call) ?? true;
  }

  /**
   * @throws ProviderFailure the last failure; `capacity` when the call waited too long for its turn
   * @throws the signal's reason when it fires during a call
   */
  answerCall(call: Call): Promise<Answer> {
    const facts = { 'quarry.provider': this.id, 'quarry.service': call.service };
    return inSpan('client', `provider ${this.id}`, facts, () => this.callWithRetries(call));
  }

  private async callWithRetries(call: Call): Promise<Answer> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await this.callOnce(call, calls === 1);
      } catch (error) {
        if (!this.isWorthRepeating(error, calls) || !this.budget.spend()) throw error;
        this.retries += 1;
        // A search that is aborted while it waits for the retry ends with the failure of the last attempt.
        await this.clock.wait(this.random() * this.policy.retryWaitMs, call.signal).catch(() => {
          throw error;
        });
      }
    }
  }

  readMetrics(): ProviderMetrics {
    const { running, waiting } = this.limit.readMetrics();
    return {
      provider: this.id,
      calls: this.calls,
      retries: this.retries,
      refusals: this.refusals,
      cleanedStrings: this.cleanedStrings,
      open: running,
      waiting,
      isBreakerOpen: this.breaker?.isRefusing ?? false,
    };
  }

  private async callOnce(call: Call, isFirst: boolean): Promise<Answer> {
    this.refuseWhenClosed();
    const leave = await this.takeTurn(call);
    try {
      const passage = this.breaker ? this.breaker.pass() : { isProbe: false };
      if (!passage) this.refuseWhenClosed();
      if (isFirst) this.budget.earn();
      return await this.observeCall(call, passage!);
    } finally {
      leave();
    }
  }

  /** Waits for a concurrency slot, for the end of a pause and for the rate. @returns a function that releases the slot */
  private async takeTurn(call: ProviderCall): Promise<() => void> {
    const letDeadlineGoOn = call.holdDeadline?.();
    const waitTimeout = new AbortController();
    const timer = setTimeout(() => waitTimeout.abort(), this.policy.waitMaxMs);
    const signal = AbortSignal.any([call.signal, waitTimeout.signal]);
    try {
      const rate = this.rateOf(call.service);
      const rateWaitMaxMs = this.rateWaitMaxMs(call);
      // A call that its own rate would delay too long is refused before it takes a slot that calls of other
      // services could use.
      if (rate && rate.waitMs > rateWaitMaxMs) this.refuseCall('wait');
      const leave = await this.limit.enter(call.service, signal).catch(() => this.refuseCall('wait'));
      try {
        if (rate) await this.keepRate(rate, rateWaitMaxMs, signal);
        await this.sitOutPause(signal);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    } finally {
      clearTimeout(timer);
      letDeadlineGoOn?.();
    }
  }

  /**
   * Refuses the call while calls are blocked. Also runs before a wait, so that no call waits only to be refused afterwards.
   */
  private refuseWhenClosed(): void {
    if (this.breaker?.isRefusing) this.refuseCall('breaker');
    if (this.pauseLeftMs() > this.policy.pauseMaxMs) this.refuseCall('pause');
  }

  private rateOf(service: string): RateWindows | null {
    const rates = this.policy.ratesOf?.(service) ?? [];
    if (rates.length === 0) return null;
    const windows = this.rates.get(rates) ?? new RateWindows(rates, () => this.clock.now());
    this.rates.set(rates, windows);
    return windows;
  }

  /**
   * Returns the longest wait for the rate. If the deadline cannot be paused, half of the time left is reserved for the call.
   */
  private rateWaitMaxMs({ holdDeadline, signal }: ProviderCall): number {
    const { waitMaxMs } = this.policy;
    return holdDeadline ? waitMaxMs : Math.min(waitMaxMs, (timeLeftOf(signal) ?? REQUEST_MS) / 2);
  }

  private async keepRate(rate: RateWindows, waitMaxMs: number, signal: AbortSignal): Promise<void> {
    const booking = rate.book(waitMaxMs) ?? this.refuseCall('wait');
    if (booking.waitMs === 0) return;
    await this.clock.wait(booking.waitMs, signal).catch(() => {
      booking.giveBack();
      this.refuseCall('wait');
    });
  }

  /** Waits for the end of a pause. The slot is held meanwhile: no other call could use it. */
  private async sitOutPause(signal: AbortSignal): Promise<void> {
    while (this.pauseLeftMs() > 0) {
      this.refuseWhenClosed();
      await this.clock.wait(this.pauseLeftMs(), signal).catch(() => this.refuseCall('wait'));
    }
  }

  private async observeCall(call: Call, passage: Passage): Promise<Answer> {
    try {
      call.signal.throwIfAborted();
      call.onCall?.();
      const answer = await this.provider.answerCall(call);
      this.breaker?.succeeded(passage);
      this.countOutcome(answer.found ? 'found' : 'not_found');
      return { ...answer, output: cleanText(answer.output, () => (this.cleanedStrings += 1)) };
    } catch (error) {
      this.classifyError(error, call.signal, passage);
      throw error;
    }
  }

  /**
   * Updates the breaker. Only failures of the provider count against it: a rejected input, "at capacity" or an invalid
   * response does not.
   */
  private classifyError(error: unknown, signal: AbortSignal, passage: Passage): void {
    const code = codeOf(error, signal);
    this.countOutcome(code);
    const task = error instanceof ProviderFailure ? error.options.needsOperator : undefined;
    if (task !== undefined) this.pauseOperator(task, passage);
    else if (code === 'provider_error' || code === 'provider_unavailable' || code === 'timeout')
      this.countFailure(code, passage);
    else if (code === 'abandoned') this.breaker?.abandoned(passage);
    else this.breaker?.succeeded(passage);
    if (!(error instanceof ProviderFailure)) return;
    const pauseMs =
      error.options.retryAfterMs ?? (code === 'capacity' && error.options.isTransient ? PAUSE_DEFAULT_MS : 0);
    this.pausedUntil = Math.max(
      this.pausedUntil,
      this.clock.now() + Math.min(pauseMs, this.policy.pauseHeldMs),
    );
  }

  private countFailure(code: CallOutcome, passage: Passage): void {
    const wasOpen = passage.isProbe || this.breaker?.isRefusing;
    this.breaker?.failed(passage);
    if (!wasOpen && this.breaker?.isRefusing) this.options.onOutage?.(this.id, code);
  }

  /** Pauses the provider and notifies the operator once: calls that were already open are not reported again. */
  private pauseOperator(task: OperatorTask, passage: Passage): void {
    const { operatorRestMs } = this.policy;
    const isNews = !this.breaker?.isRefusing || passage.isProbe;
    this.breaker?.trip(operatorRestMs);
    if (isNews) this.options.onOperatorNeeded?.(this.id, task, operatorRestMs);
  }

  private isWorthRepeating(error: unknown, calls: number): boolean {
    return (
      error instanceof ProviderFailure &&
      error.options.isTransient === true &&
      calls < this.policy.callsMax &&
      this.pauseLeftMs() <= this.policy.pauseMaxMs
    );
  }

  private pauseLeftMs(): number {
    return this.pausedUntil - this.clock.now();
  }

  private countOutcome(outcome: CallOutcome): void {
    this.calls.set(outcome, (this.calls.get(outcome) ?? 0) + 1);
  }

  private refuseCall(why: Refusal): never {
    this.refusals[why] += 1;
    const provider = this.id;
    if (why === 'breaker')
      throw new ProviderFailure(
        'provider_unavailable',
        'The provider fails too often and is not called for the moment.',
        { provider },
      );
    throw new ProviderFailure('capacity', 'The provider is at its capacity.', { provider });
  }
}

/**
 * Returns the outcome of a failed call. A TimeoutError of the signal is the deadline; any other abort is a lost lease or a
 * shutdown.
 */
function codeOf(error: unknown, signal: AbortSignal): CallOutcome {
  if (error instanceof ProviderFailure) return error.code;
  const isLate = signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError';
  return isLate ? 'timeout' : 'abandoned';
}
