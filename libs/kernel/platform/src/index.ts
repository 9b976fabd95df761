export { PlatformModule } from './platform.module.js';
export { openLocalCalls, type LocalCalls } from './local-calls.js';
export { OperationsModule } from './operations.module.js';
