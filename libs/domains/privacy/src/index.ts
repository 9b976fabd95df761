export { ERASURE_ORDER, type Erased, type ErasureParts } from './erasure-parts.js';
export { ErasuresModule } from './erasures.module.js';
export { PersonErasure, type ErasureReceipt } from './person-erasure.js';
