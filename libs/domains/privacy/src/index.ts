export type { ErasureParts } from './erasure-parts.js';
export { ErasuresModule } from './erasures.module.js';
export { PersonErasure } from './person-erasure.js';
