export { fastRpcHandlers } from './fast-rpc.handlers.js';
export { FastServiceRunner, type FastProviderFor } from './fast-service.runner.js';
export { HoldReaper } from './hold-reaper.js';
export type { ExclusionPort } from './ports/exclusion.port.js';
