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
export { LANGUAGE_MODEL } from './language-model.token.js';
export { Evidence, type EvidencePage, type ProofRange } from './research/evidence.js';
export { ModelResearch } from './research/model-research.js';
export type { FetchedPage, Research, ResearchOutcome, ResearchStep } from './research/research.js';
export type { BasisEntry, OutputSchema } from './research/verified-output.js';
