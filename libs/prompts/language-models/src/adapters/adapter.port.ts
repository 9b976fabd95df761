import {
  LanguageModelError,
  type ModelAnswer,
  type ModelAsk,
  type ModelFailure,
} from '../language-model.port.js';
import type { ModelUsage } from '../language-model.port.js';

/** Protocol of a model. One call is one request; the policy repeats it. */
export interface ModelAdapter {
  /**
   * @param signal ends the request: nobody waits any more, or its time is over
   * @throws ModelAdapterFailure; the signal's reason once it is aborted
   */
  sendRequest(ask: ModelAsk, signal: AbortSignal): Promise<ModelAnswer>;
}

/** Why one request gave no answer, and whether the same one may go better a moment later. */
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
