export { isColumnInUse } from './enrichment.store.js';
export { EnrichableRowsPort } from './enrichable-rows.port.js';
export { enrichmentRetention } from './enrichment-retention.js';
export { ENRICHMENT_WORK, EnrichmentsModule } from './enrichments.module.js';
export { enrichmentErasure } from './erase-from-enrichments.js';
