export { PlatformModule, type PlatformOptions } from './platform.module.js';
export { openLocalCalls, type LocalCalls, type LocalCallsOptions } from './local-calls.js';
export { OperationsModule, type OperationsOptions } from './operations.module.js';
