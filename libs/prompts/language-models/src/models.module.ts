import { Module, type DynamicModule } from '@nestjs/common';
import { CHECKED_MODEL, ModelCheck, type CheckedModel, type ModelCheckLog } from './model-check.js';
import type { ModelMetricsRead } from './model-metrics.js';
import type { ModelSettings } from './model-settings.js';
import { PolicedLanguageModel } from './policed-language.model.js';
import { SdkAdapter } from './adapters/sdk.adapter.js';

/** Injection token of the operator's model: a `LanguageModel`, or null when none is configured. */
export const LANGUAGE_MODEL = Symbol('quarry:language-model');

/** Reads the metrics of the model. */
export abstract class ModelMetrics {
  /** @returns null when no model is configured */
  abstract readMetrics(): ModelMetricsRead | null;
}

/** Provides the configured model to all libraries of a process. */
@Module({})
export class ModelsModule {
  /** @param model null when none is configured @param log receives the result of the startup check */
  static forRoot(model: PolicedLanguageModel | null, log: ModelCheckLog): DynamicModule {
    return {
      module: ModelsModule,
      global: true,
      providers: [
        { provide: LANGUAGE_MODEL, useValue: model },
        { provide: CHECKED_MODEL, useValue: { model, log } satisfies CheckedModel },
        ModelCheck,
        { provide: ModelMetrics, useValue: { readMetrics: () => model?.readMetrics() ?? null } },
      ],
      exports: [LANGUAGE_MODEL, ModelMetrics],
    };
  }
}

/** @returns the model with its adapter and policy */
export function languageModelOf(settings: ModelSettings): PolicedLanguageModel {
  return new PolicedLanguageModel(settings.name, new SdkAdapter(settings));
}
