export { LanguageModel, LanguageModelError } from './language-model.port.js';
export type {
  JsonSchema,
  ModelAnswer,
  ModelAsk,
  ModelFailure,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from './language-model.port.js';
export { addModelMetrics } from './add-model-metrics.js';
export type { ModelMetricsRead } from './model-metrics.js';
export { modelOf, plannerNamed, withModel, withPlanner, type PlannerName } from './model.env.js';
export { MODEL_ADAPTERS, type ModelSettings, type ModelAdapterName } from './model-settings.js';
export { LANGUAGE_MODEL, languageModelOf, ModelMetrics, ModelsModule } from './models.module.js';
export { FallbackPlanner, type OnFallback } from './planner/fallback.planner.js';
export { isEnglish } from './planner/language.js';
export { ModelPlanner } from './planner/model.planner.js';
export { plannerOf, PlannerModule } from './planner/planner.module.js';
export { ModelResearch } from './research/model-research.js';
export type { FetchedPage, Research, ResearchOutcome, ResearchStep } from './research/research.js';
export { rowOfCandidate, taskOf, type WebPlan } from './sourcing/candidate-row.js';
export { ModelSourcing } from './sourcing/model-sourcing.js';
export type { SourcedCandidate, SourcingOutcome, SourcingStep } from './sourcing/sourcing.js';
