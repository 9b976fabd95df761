import { CreateIdentity1763700000001 } from './1763700000001-identity.migration.js';
import { CreateCredits1763700000002 } from './1763700000002-credits.migration.js';
import { CreateTables1763700000003 } from './1763700000003-tables.migration.js';
import { CreateJobs1763700000004 } from './1763700000004-jobs.migration.js';
import { CreateRuns1763700000005 } from './1763700000005-runs.migration.js';
import { AddBatchCancel1763700000006 } from './1763700000006-batch-cancel.migration.js';
import { MakeLinesCheap1763700000007 } from './1763700000007-line-cost.migration.js';
import { HandSearchesOver1763700000008 } from './1763700000008-search-handover.migration.js';
import { AddExpiringHolds1763700000010 } from './1763700000010-expiring-holds.migration.js';
import { AddListIndexes1763700000011 } from './1763700000011-list-indexes.migration.js';
import { TakeStopsBack1763700000014 } from './1763700000014-orderly-stops.migration.js';
import { SeparateTwoWorlds1763700000016 } from './1763700000016-two-worlds.migration.js';
import { KeepRequestKeys1763700000017 } from './1763700000017-request-keys.migration.js';
import { AddSpendCaps1763700000018 } from './1763700000018-spend-caps.migration.js';
import { AddLedgerChecks1763700000020 } from './1763700000020-ledger-checks.migration.js';
import { AddMetricsViews1763700000030 } from './1763700000030-metrics-views.migration.js';
import { AddRetention1763700000040 } from './1763700000040-retention.migration.js';
import { AddRetentionIndexes1763700000041 } from './1763700000041-retention-indexes.migration.js';
import { AddAuditLog1763700000042 } from './1763700000042-audit-log.migration.js';
import { AddErasure1763700000043 } from './1763700000043-erasure.migration.js';
import { CancelForTenant1763700000053 } from './1763700000053-cancel-for-tenant.migration.js';
import { CountErasuresOfFrozenTables1763700000054 } from './1763700000054-erased-frozen-tables.migration.js';
import { DropFunctionsOfBefore1763700000055 } from './1763700000055-functions-of-before.migration.js';
import { AddPlans1763700000070 } from './1763700000070-plans.migration.js';
import { AddTrails1763700000071 } from './1763700000071-trails.migration.js';
import { AddVendorChoices1763700000072 } from './1763700000072-vendor-choices.migration.js';
import { AddQueueLoad1763700000080 } from './1763700000080-queue-load.migration.js';
import { AddGo1763700000090 } from './1763700000090-go.migration.js';
import { AddDirectories1763700000100 } from './1763700000100-directories.migration.js';
import { AddSourcingQueue1763700000115 } from './1763700000115-sourcing-queue.migration.js';
import { AddTraceparents1763700000120 } from './1763700000120-traceparents.migration.js';
import { AddClientAnswers1763700000125 } from './1763700000125-client-answers.migration.js';
import { AddErasedDirectoryPeople1763700000126 } from './1763700000126-erased-directory-people.migration.js';
import { AddGoListIndex1763700000127 } from './1763700000127-go-list-index.migration.js';
import { OneLinkedInSlug1763700000130 } from './1763700000130-one-linkedin-slug.migration.js';
import { ForgetHintsOfShortKeys1763700000131 } from './1763700000131-hints-of-short-keys.migration.js';
import { AddSessions1763700000140 } from './1763700000140-sessions.migration.js';
import { AddTableViews1763700000141 } from './1763700000141-table-views.migration.js';
import { AddLiveExports1763700000150 } from './1763700000150-live-exports.migration.js';
import { AddPlansOfRuns1763700000151 } from './1763700000151-plans-of-runs.migration.js';
import { AddEnrichments1763700000160 } from './1763700000160-enrichments.migration.js';
import { AddFirstDirectory1763700000161 } from './1763700000161-first-directory.migration.js';
import { AddFollowedErasures1763700000165 } from './1763700000165-followed-erasures.migration.js';
import { AddChangedTables1763700000190 } from './1763700000190-changed-tables.migration.js';
import { AddEventLog1763700000200 } from './1763700000200-event-log.migration.js';
import { AddWebhooks1763700000201 } from './1763700000201-webhooks.migration.js';
import { AddDeepPages1763700000220 } from './1763700000220-deep-pages.migration.js';
import { AddTablesNewestFirst1763700000230 } from './1763700000230-tables-newest-first.migration.js';
import { AddMonitors1763700000240 } from './1763700000240-monitors.migration.js';
import { AddDestinations1763700000250 } from './1763700000250-destinations.migration.js';
import { AddOutreach1763700000260 } from './1763700000260-outreach.migration.js';
import { AddBatchRevision1763700000261 } from './1763700000261-batch-revision.migration.js';
import { ReadPolicySettingsOnce1763700000262 } from './1763700000262-policies-read-once.migration.js';
import { AddWatchedColumns1763700000263 } from './1763700000263-watched-columns.migration.js';
import { ListItemsByChange1763700000264 } from './1763700000264-items-by-change.migration.js';

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
  AddListIndexes1763700000011,
  TakeStopsBack1763700000014,
  SeparateTwoWorlds1763700000016,
  KeepRequestKeys1763700000017,
  AddSpendCaps1763700000018,
  AddLedgerChecks1763700000020,
  AddMetricsViews1763700000030,
  AddRetention1763700000040,
  AddRetentionIndexes1763700000041,
  AddAuditLog1763700000042,
  AddErasure1763700000043,
  CancelForTenant1763700000053,
  CountErasuresOfFrozenTables1763700000054,
  DropFunctionsOfBefore1763700000055,
  AddPlans1763700000070,
  AddTrails1763700000071,
  AddVendorChoices1763700000072,
  AddQueueLoad1763700000080,
  AddGo1763700000090,
  AddDirectories1763700000100,
  AddSourcingQueue1763700000115,
  AddTraceparents1763700000120,
  AddClientAnswers1763700000125,
  AddErasedDirectoryPeople1763700000126,
  AddGoListIndex1763700000127,
  OneLinkedInSlug1763700000130,
  ForgetHintsOfShortKeys1763700000131,
  AddSessions1763700000140,
  AddTableViews1763700000141,
  AddLiveExports1763700000150,
  AddPlansOfRuns1763700000151,
  AddEnrichments1763700000160,
  AddFirstDirectory1763700000161,
  AddFollowedErasures1763700000165,
  AddChangedTables1763700000190,
  AddEventLog1763700000200,
  AddWebhooks1763700000201,
  AddDeepPages1763700000220,
  AddTablesNewestFirst1763700000230,
  AddMonitors1763700000240,
  AddDestinations1763700000250,
  AddOutreach1763700000260,
  AddBatchRevision1763700000261,
  ReadPolicySettingsOnce1763700000262,
  AddWatchedColumns1763700000263,
  ListItemsByChange1763700000264,
];

/** As the database remembers what was applied to it. */
export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);
