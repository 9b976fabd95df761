import { CreateIdentity1763700000001 } from './1763700000001-identity.migration.js';

export const MIGRATIONS = [CreateIdentity1763700000001];
