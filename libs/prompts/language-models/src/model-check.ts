import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LanguageModelError } from './language-model.port.js';
import type { PolicedLanguageModel } from './policed-language.model.js';

/** Log for the result of the check: the logger of the process. */
export interface ModelCheckLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Injection token of the model to check and the log. */
export const CHECKED_MODEL = Symbol('quarry:checked-model');
export interface CheckedModel {
  /** Null when none is configured: then nothing is checked. */
  readonly model: Pick<PolicedLanguageModel, 'modelName' | 'reach'> | null;
  readonly log: ModelCheckLog;
}

/** Timeout of the check in milliseconds. */
export const CHECK_MS = 10_000;

/** Calls the configured model once at startup, and logs the result. The startup does not wait for it. */
@Injectable()
export class ModelCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(@Inject(CHECKED_MODEL) private readonly checked: CheckedModel) {}

  onApplicationBootstrap(): void {
    void this.checkModel();
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Logs whether the model responds, and after how many milliseconds. Never throws. */
  async checkModel(): Promise<void> {
    const { model, log } = this.checked;
    if (!model) return;
    const startedAt = performance.now();
    const facts = () => ({ model: model.modelName, ms: Math.round(performance.now() - startedAt) });
    try {
      await model.reach(AbortSignal.any([this.stopping.signal, AbortSignal.timeout(CHECK_MS)]));
      log.info(facts(), 'the language model answers');
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      const why = error instanceof LanguageModelError ? error.message : 'It did not answer in time.';
      log.warn({ ...facts(), why }, 'the language model cannot be used');
    }
  }
}
