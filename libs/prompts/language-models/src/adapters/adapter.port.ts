import {
  LanguageModelError,
  type ModelAnswer,
  type ModelAsk,
  type ModelFailure,
} from '../language-model.port.js';
import type { ModelUsage } from '../language-model.port.js';

/** Protocol of a model. Each call sends one request; the policy retries it. */
export interface ModelAdapter {
  /**
   * @param signal aborts the request when its caller has gone, or at its deadline
   * @throws ModelAdapterFailure; the signal's reason once it is aborted
   */
  sendRequest(ask: ModelAsk, signal: AbortSignal): Promise<ModelAnswer>;
}

/** Reason why one request failed, and whether a retry may succeed. */
export class ModelAdapterFailure extends LanguageModelError {
  readonly isTransient: boolean;
  /** Wait that the endpoint requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: ModelFailure,
    message: string,
    more: {
      isTransient?: boolean;
      retryAfterMs?: number | undefined;
      text?: string | null;
      usage?: ModelUsage | null;
    } = {},
  ) {
    super(failure, message, more.text ?? null, more.usage ?? null);
    this.isTransient = more.isTransient ?? false;
    this.retryAfterMs = more.retryAfterMs;
  }
}
