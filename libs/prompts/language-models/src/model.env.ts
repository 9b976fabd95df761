import { EnvVar } from '@quarry/app';
import { IsIn, IsOptional, IsUrl, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { MODEL_ADAPTERS, type ModelSettings, type ModelAdapterName } from './model-settings.js';
import { languageModelOf } from './models.module.js';

/** Planners of prompts. `model-or-rules`: the rules if the model cannot plan the prompt. */
export const PLANNERS = ['rules', 'model', 'model-or-rules'] as const;
export type PlannerName = (typeof PLANNERS)[number];

/** Variables below, as the validation conditions of each other read them. */
interface ModelVariables {
  MODEL_WIRE: ModelAdapterName;
  MODEL_URL?: string;
  MODEL_KEY?: string;
  MODEL_NAME?: string;
  PLANNER?: PlannerName;
}

// Address and name or neither: a partly configured model is a mistake that must be reported at startup.
const isMeant = (env: object): boolean => {
  const { MODEL_URL, MODEL_KEY, MODEL_NAME } = env as ModelVariables;
  return MODEL_URL !== undefined || MODEL_KEY !== undefined || MODEL_NAME !== undefined;
};
const mayRead = (value: unknown, env: object): boolean => value === 'rules' || isMeant(env);

/** Adds the variables of the language model to an environment class. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withModel<T extends new (...args: any[]) => object>(Base: T) {
  class ModelEnv extends Base {
    @EnvVar({
      group: 'model',
      description: 'Protocol of the language model: openai (chat completions) or anthropic (messages).',
    })
    @IsIn(MODEL_ADAPTERS)
    MODEL_WIRE: ModelAdapterName = 'openai';

    @EnvVar({
      group: 'model',
      description:
        'Address of the language model up to its version, https://…/v1 (docs/models.md); none when not set.',
    })
    @ValidateIf(isMeant)
    @IsUrl({
      require_tld: false,
      allow_underscores: true,
      require_protocol: true,
      protocols: ['http', 'https'],
      disallow_auth: true,
      allow_fragments: false,
      allow_query_components: false,
    })
    MODEL_URL?: string;

    @EnvVar({
      group: 'model',
      description: 'Key of the language model; none for a server without a key.',
      secret: true,
    })
    @IsOptional()
    @Matches(/^[\x21-\x7e]{1,1000}$/, { message: 'MODEL_KEY must be visible ASCII characters' })
    MODEL_KEY?: string;

    @EnvVar({ group: 'model', description: 'Name of the language model at its endpoint.' })
    @ValidateIf(isMeant)
    @Matches(/^[\x21-\x7e]{1,200}$/, { message: 'MODEL_NAME must be the name of a model, without spaces' })
    MODEL_NAME?: string;
  }
  return ModelEnv;
}

/** Adds the variables of the language model and of the planner to an environment class. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withPlanner<T extends new (...args: any[]) => object>(Base: T) {
  class PlannerEnv extends withModel(Base) {
    @EnvVar({
      group: 'model',
      description:
        'Planner of prompts: rules, model, or model-or-rules. Default: rules without a model, else model-or-rules.',
    })
    @IsOptional()
    @IsIn(PLANNERS)
    @ValidateBy({
      name: 'hasModel',
      validator: {
        validate: (value, args) => mayRead(value, args!.object),
        defaultMessage: () => 'PLANNER can only be rules where no MODEL_URL and MODEL_NAME are set',
      },
    })
    PLANNER?: PlannerName;
  }
  return PlannerEnv;
}

type ModelEnv = InstanceType<ReturnType<typeof withModel>>;
type PlannerEnv = InstanceType<ReturnType<typeof withPlanner>>;

/** @returns null when no model is configured */
export function modelSettingsOf({
  MODEL_WIRE,
  MODEL_URL,
  MODEL_KEY,
  MODEL_NAME,
}: ModelEnv): ModelSettings | null {
  if (MODEL_URL === undefined) return null;
  return { adapter: MODEL_WIRE, url: MODEL_URL, key: MODEL_KEY ?? null, name: MODEL_NAME! };
}

/** @returns the model of a process, whose limits and metrics all callers share; null when none is configured */
export function modelOf(env: ModelEnv): ReturnType<typeof languageModelOf> | null {
  const settings = modelSettingsOf(env);
  return settings && languageModelOf(settings);
}

/** @returns the name of the configured planner */
export function plannerNamed({ PLANNER, MODEL_URL }: PlannerEnv): PlannerName {
  return PLANNER ?? (MODEL_URL === undefined ? 'rules' : 'model-or-rules');
}
