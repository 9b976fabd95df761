export { checkJsonSize, parseBoundedJson } from './bounded-json.js';
export { cleanText } from './clean-text.js';
export { CircuitBreaker, type BreakerPolicy, type Passage } from './circuit-breaker.js';
export { systemClock, type Clock } from './clock.js';
export { KeyedSemaphore, type SemaphoreFigures } from './keyed-semaphore.js';
export { RateWindows, type Rate } from './rate-window.js';
export { RetryBudget, type RetryBudgetPolicy } from './retry-budget.js';
export { retryAfterOf } from './retry-after.js';
export { SearchDeadline } from './search-deadline.js';
