import {
  CircuitBreaker,
  KeyedSemaphore,
  RetryBudget,
  systemClock,
  type Clock,
  type Passage,
} from '@quarry/resilience';
import { LanguageModel, LanguageModelError, type ModelAnswer, type ModelAsk } from './language-model.port.js';
import { ModelTally, type ModelMetricsRead } from './model-metrics.js';
import { MODEL_POLICY, type ModelPolicy } from './model-policy.js';
import { ModelAdapterFailure, type ModelAdapter } from './adapters/adapter.port.js';

/** Prompt of the startup check. */
const REACH_PROMPT = 'Answer with the word OK.';

export interface PolicedModelOptions {
  readonly policy?: ModelPolicy;
  readonly clock?: Clock;
  /** Returns a number in [0, 1) for the jitter before a retry. */
  readonly random?: () => number;
}

/**
 * Applies a policy to a model: a limit of concurrent requests, none while its circuit is open, and retries within the
 * budget and the deadline. This is the only layer that retries requests to a model, because retries of two layers would
 * multiply.
 */
export class PolicedLanguageModel extends LanguageModel {
  private readonly policy: ModelPolicy;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly limit: KeyedSemaphore;
  private readonly budget: RetryBudget;
  private readonly breaker: CircuitBreaker;
  private readonly tally = new ModelTally();

  constructor(
    readonly modelName: string,
    private readonly adapter: ModelAdapter,
    { policy = MODEL_POLICY, clock = systemClock, random = Math.random }: PolicedModelOptions = {},
  ) {
    super();
    this.policy = policy;
    this.clock = clock;
    this.random = random;
    const now = (): number => clock.now();
    this.limit = new KeyedSemaphore({ size: policy.concurrency });
    this.budget = new RetryBudget(policy.retries, now);
    this.breaker = new CircuitBreaker(policy.breaker, now);
  }

  async completePrompt(ask: ModelAsk): Promise<ModelAnswer> {
    ask.signal.throwIfAborted();
    const startedAt = this.clock.now();
    const late = new AbortController();
    const leftMs = ask.budget.deadlineMs - Date.now();
    const timer = setTimeout(() => late.abort(timedOut()), Math.max(0, Math.min(leftMs, 2 ** 31 - 1)));
    if (leftMs <= 0) late.abort(timedOut());
    try {
      const answer = await this.tryRequest(ask, AbortSignal.any([ask.signal, late.signal]));
      this.countEnd('answered', startedAt);
      this.tally.spent(answer.usage);
      return answer;
    } catch (error) {
      if (ask.signal.aborted) this.countEnd('abandoned', startedAt);
      ask.signal.throwIfAborted();
      if (!(error instanceof LanguageModelError)) throw error;
      this.countEnd(error.failure, startedAt);
      this.tally.spent(error.usage);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Requests one word, outside of limits, retries and metrics, to check that address, key and name are correct.
   * @throws LanguageModelError; the signal's reason once it is aborted
   */
  async reach(signal: AbortSignal): Promise<void> {
    const messages = [{ role: 'user' as const, text: REACH_PROMPT }];
    await this.adapter.sendRequest(
      { messages, budget: { maxOutputTokens: 16, deadlineMs: Infinity }, signal },
      signal,
    );
  }

  /** @returns the metrics of the model in this process */
  readMetrics(): ModelMetricsRead {
    const { running: open, waiting } = this.limit.readMetrics();
    return { ...this.tally.read(), open, waiting, isBreakerOpen: this.breaker.isRefusing };
  }

  private async tryRequest(ask: ModelAsk, signal: AbortSignal): Promise<ModelAnswer> {
    signal.throwIfAborted();
    this.budget.earn();
    for (let calls = 1; ; calls += 1) {
      try {
        return await this.askOnce(ask, signal);
      } catch (error) {
        const waitMs = this.waitBefore(error, calls);
        // If the wait would end after the deadline, the failure is reported at once.
        if (waitMs === null || Date.now() + waitMs >= ask.budget.deadlineMs || !this.budget.spend())
          throw error;
        this.tally.repeated();
        await this.clock.wait(waitMs, signal).catch(() => {
          throw error;
        });
      }
    }
  }

  private async askOnce(ask: ModelAsk, signal: AbortSignal): Promise<ModelAnswer> {
    this.refuseWhenOpen();
    const leave = await this.limit.enter('ask', signal);
    try {
      const passage = this.breaker.pass();
      if (!passage) this.refuseWhenOpen();
      return await this.observeRequest(ask, signal, passage!);
    } finally {
      leave();
    }
  }

  private async observeRequest(ask: ModelAsk, signal: AbortSignal, passage: Passage): Promise<ModelAnswer> {
    try {
      const answer = await this.adapter.sendRequest(ask, signal);
      this.breaker.succeeded(passage);
      return answer;
    } catch (error) {
      const failure = error instanceof LanguageModelError ? error.failure : null;
      if (failure === 'unavailable' || failure === 'timeout') this.breaker.failed(passage);
      // Any other failure, such as a busy model, is a response, which the breaker counts as a success.
      else if (failure === null || ask.signal.aborted) this.breaker.abandoned(passage);
      else this.breaker.succeeded(passage);
      throw error;
    }
  }

  /** @returns milliseconds until the retry; null when a retry is useless */
  private waitBefore(error: unknown, calls: number): number | null {
    if (!(error instanceof ModelAdapterFailure) || !error.isTransient || calls >= this.policy.callsMax)
      return null;
    return error.retryAfterMs ?? this.random() * this.policy.retryWaitMs * 2 ** (calls - 1);
  }

  private refuseWhenOpen(): void {
    if (this.breaker.isRefusing)
      throw new LanguageModelError('unavailable', 'The language model fails too often to be asked.');
  }

  private countEnd(outcome: Parameters<ModelTally['ended']>[0], startedAt: number): void {
    this.tally.ended(outcome, this.clock.now() - startedAt);
  }
}

function timedOut(): LanguageModelError {
  return new LanguageModelError('timeout', 'The language model did not answer in time.');
}
