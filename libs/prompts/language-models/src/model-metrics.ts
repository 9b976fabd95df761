import type { ModelFailure, ModelUsage } from './language-model.port.js';

/** Outcome of a request: a response, a failure, or `abandoned` when its caller no longer waits. */
export type AskOutcome = 'answered' | ModelFailure | 'abandoned';

/** Metrics of the model in this process. */
export interface ModelMetricsRead {
  readonly asks: ReadonlyMap<AskOutcome, number>;
  /** Total duration of calls, including retries and waits, by outcome. */
  readonly seconds: ReadonlyMap<AskOutcome, number>;
  /** Number of requests that were retries. */
  readonly retries: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Total cost of responses whose model has a known price. */
  readonly costMicroUsd: number;
  readonly open: number;
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
}

/** Counts calls of a model. */
export class ModelTally {
  private readonly asks = new Map<AskOutcome, number>();
  private readonly seconds = new Map<AskOutcome, number>();
  private retries = 0;
  private readonly used = { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

  ended(outcome: AskOutcome, ms: number): void {
    this.asks.set(outcome, (this.asks.get(outcome) ?? 0) + 1);
    this.seconds.set(outcome, (this.seconds.get(outcome) ?? 0) + ms / 1000);
  }

  repeated(): void {
    this.retries += 1;
  }

  spent(usage: ModelUsage | null): void {
    this.used.inputTokens += usage?.inputTokens ?? 0;
    this.used.outputTokens += usage?.outputTokens ?? 0;
    this.used.costMicroUsd += usage?.costMicroUsd ?? 0;
  }

  read(): Omit<ModelMetricsRead, 'open' | 'waiting' | 'isBreakerOpen'> {
    return { asks: this.asks, seconds: this.seconds, retries: this.retries, ...this.used };
  }
}
