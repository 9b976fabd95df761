import { Module, type DynamicModule } from '@nestjs/common';
import { CHECKED_MODEL, ModelCheck, type CheckedModel, type ModelCheckLog } from './model-check.js';
import type { ModelMetricsRead } from './model-metrics.js';
import type { ModelSettings } from './model-settings.js';
import { PolicedLanguageModel } from './policed-language.model.js';
import { SdkAdapter } from './adapters/sdk.adapter.js';

/** The model that the operator has named: a `LanguageModel`, or null where none is configured. */
export const LANGUAGE_MODEL = Symbol('quarry:language-model');

/** Reads the metrics of the model. */
export abstract class ModelMetrics {
  /** @returns null where no model is configured */
  abstract readMetrics(): ModelMetricsRead | null;
}

/** Gives every library of a process the one model that is configured. */
@Module({})
export class ModelsModule {
  /** @param model null where none is configured @param log told once at the start whether it answers */
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

/** @returns the model behind its adapter, under its policy */
export function languageModelOf(settings: ModelSettings): PolicedLanguageModel {
  return new PolicedLanguageModel(settings.name, new SdkAdapter(settings));
}
