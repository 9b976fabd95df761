export { goErasure } from './erase-from-go.js';
export { GoLeaseStore } from './go-lease.store.js';
export { goRetention } from './go-retention.js';
export { GO_DAYS } from './go-terms.js';
export { GoApiModule, GoWorkerModule } from './go.module.js';
export { GoKeyAccessPort } from './ports/key-access.port.js';
