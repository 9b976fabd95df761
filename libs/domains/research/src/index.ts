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
export { goErasure } from './go/erase-from-go.js';
export { GoLeaseStore } from './go/go-lease.store.js';
export { goRetention } from './go/go-retention.js';
export { GO_DAYS } from './go/go-terms.js';
export { GoApiModule, GoWorkerModule } from './go/go.module.js';
export { GoKeyAccessPort } from './go/ports/key-access.port.js';
