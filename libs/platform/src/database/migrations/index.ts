import { CreateTables1763700000003 } from './1763700000003-tables.migration.js';

export const MIGRATIONS = [CreateTables1763700000003];
