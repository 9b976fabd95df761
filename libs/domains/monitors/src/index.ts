export { monitorErasure } from './erase-from-monitors.js';
export { ItemRowsPort } from './item-rows.port.js';
export { MonitorItems } from './monitor-items.js';
export { monitorRetention } from './monitor-retention.js';
export { reportedRows } from './monitor.store.js';
export { MonitorSchedulerModule, MonitorsModule } from './monitors.module.js';
