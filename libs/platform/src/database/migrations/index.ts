import { CreateIdentity1763700000001 } from './1763700000001-identity.migration.js';
import { CreateCredits1763700000002 } from './1763700000002-credits.migration.js';
import { CreateTables1763700000003 } from './1763700000003-tables.migration.js';
import { CreateJobs1763700000004 } from './1763700000004-jobs.migration.js';
import { CreateRuns1763700000005 } from './1763700000005-runs.migration.js';
import { AddBatchCancel1763700000006 } from './1763700000006-batch-cancel.migration.js';
import { MakeLinesCheap1763700000007 } from './1763700000007-line-cost.migration.js';
import { HandSearchesOver1763700000008 } from './1763700000008-search-handover.migration.js';
import { AddExpiringHolds1763700000010 } from './1763700000010-expiring-holds.migration.js';

/** All migrations, oldest first. */
export const MIGRATIONS = [
  CreateIdentity1763700000001,
  CreateCredits1763700000002,
  CreateTables1763700000003,
  CreateJobs1763700000004,
  CreateRuns1763700000005,
  AddBatchCancel1763700000006,
  MakeLinesCheap1763700000007,
  HandSearchesOver1763700000008,
  AddExpiringHolds1763700000010,
];
