import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LanguageModelError } from './language-model.port.js';
import type { PolicedLanguageModel } from './policed-language.model.js';

/** Log of the check's outcome: the logger of the process. */
export interface ModelCheckLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The model to check, and where that is written. */
export const CHECKED_MODEL = Symbol('quarry:checked-model');
export interface CheckedModel {
  /** Null where none is configured: nothing is asked then. */
  readonly model: Pick<PolicedLanguageModel, 'modelName' | 'reach'> | null;
  readonly log: ModelCheckLog;
}

/** Milliseconds that the model has for its one word. */
export const CHECK_MS = 10_000;

/** Asks the configured model once when the process starts, and writes one line about it. The start does not wait for the answer. */
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

  /** Writes whether the model answers, and after how many milliseconds. Never throws. */
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
