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
