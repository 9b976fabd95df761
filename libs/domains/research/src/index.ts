export { ResearchBudget } from './research-budget.js';
export { performResearch, ResearchEnded } from './research-loop.js';
export { ResearchWebs, type ResearchWeb, type SearchEngine } from './research-web.js';
export {
  ResearchSteps,
  type DoneStep,
  type ReadPage,
  type StepLimits,
  type StepOutcome,
} from './research-steps.js';
export { ResearchStepsModule } from './research-steps.module.js';
export { ModelReadingProvider } from './providers/model-reading.provider.js';
export { ResearchProvider } from './providers/research.provider.js';
