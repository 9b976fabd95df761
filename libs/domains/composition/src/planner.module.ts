import { Global, Module, type DynamicModule } from '@nestjs/common';
import {
  FallbackPlanner,
  LANGUAGE_MODEL,
  ModelPlanner,
  type LanguageModel,
  type PlannerName,
} from '@quarry/language-models';
import { Planner, PlanningFailedError } from '@quarry/plan';
import { RulesPlanner } from '@quarry/rules-planner';
import { LOGGER, type Logger } from '@quarry/app';

/** Provides the planner of prompts, for runs and for estimates of them. It uses the module of models. */
@Global()
@Module({})
export class PlannerModule {
  static forRoot(name: PlannerName): DynamicModule {
    return {
      module: PlannerModule,
      providers: [
        {
          provide: Planner,
          inject: [LANGUAGE_MODEL, LOGGER],
          useFactory: (model: LanguageModel | null, logger: Logger) => plannerOf(name, model, logger),
        },
      ],
      exports: [Planner],
    };
  }
}

/**
 * @param model null where none is configured; then the rules read
 * @param logger told when the rules have read in place of the model, without a word of the prompt
 */
export function plannerOf(
  name: PlannerName,
  model: LanguageModel | null,
  logger: Pick<Logger, 'warn'>,
): Planner {
  const rules = new RulesPlanner();
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
