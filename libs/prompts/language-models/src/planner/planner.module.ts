import { Global, Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from '@quarry/app';
import { Planner, PlanningFailedError } from '@quarry/plan';
import type { LanguageModel } from '../language-model.port.js';
import type { PlannerName } from '../model.env.js';
import { LANGUAGE_MODEL } from '../models.module.js';
import { FallbackPlanner } from './fallback.planner.js';
import { ModelPlanner } from './model.planner.js';

/** Provides the planner of prompts, for runs and for their estimates. Depends on the module of models. */
@Global()
@Module({})
export class PlannerModule {
  /** @param rules planner used without a model, and as the fallback */
  static forRoot(name: PlannerName, rules: Planner): DynamicModule {
    return {
      module: PlannerModule,
      providers: [
        {
          provide: Planner,
          inject: [LANGUAGE_MODEL, LOGGER],
          useFactory: (model: LanguageModel | null, logger: Logger) =>
            plannerOf(name, { rules, model }, logger),
        },
      ],
      exports: [Planner],
    };
  }
}

/**
 * @param readers.model null when none is configured; then the rules are used
 * @param logger receives a warning when the rules have replaced the model, without any word of the prompt
 */
export function plannerOf(
  name: PlannerName,
  { rules, model }: { rules: Planner; model: LanguageModel | null },
  logger: Pick<Logger, 'warn'>,
): Planner {
  if (name === 'rules' || model === null) return rules;
  const planner = new ModelPlanner(model, rules);
  if (name === 'model') return planner;
  return new FallbackPlanner(planner, rules, (error, { requestId }) => {
    const faults = error instanceof PlanningFailedError ? error.faults.length : 0;
    logger.warn(
      { requestId, why: error.message, faults },
      'the rules have read a prompt in place of the model',
    );
  });
}
