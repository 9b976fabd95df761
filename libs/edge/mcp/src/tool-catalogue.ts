import { serviceBatchCancel, serviceBatchExecute, serviceBatchGet } from './tools/batch.tools.js';
import { serviceDiscover, serviceEstimate } from './tools/catalogue.tools.js';
import { serviceCreditsGet } from './tools/credits.tools.js';
import { tableExclusionsGet, tableExclusionsUpdate } from './tools/exclusion.tools.js';
import { serviceExecute } from './tools/fast-service.tools.js';
import {
  retrieverBuildListCancel,
  retrieverBuildListGet,
  retrieverBuildListStart,
} from './tools/run.tools.js';
import {
  inboxThreadsGet,
  inboxThreadGet,
  inboxThreadUpdate,
  inboxDraftCreate,
  inboxDraftSend,
} from './tools/inbox.tools.js';
import {
  sequenceMailboxesGet,
  sequenceMailboxConnect,
  sequenceList,
  sequenceGet,
  sequenceCreate,
  sequenceUpdate,
  sequenceEnroll,
  sequenceEnrollmentsGet,
  sequencePreview,
  sequenceApprovalRequest,
  sequenceActivate,
  sequencePause,
  sequenceContactStop,
  sequenceStatsGet,
  sequenceSuppressionsGet,
  sequenceSuppressionsAdd,
} from './tools/sequence.tools.js';
import { tableExport, tableGet, tableImport, tableList, tableRowsGet } from './tools/table.tools.js';
import type { AnyTool } from './tool.js';

/** All tools, in the order in which clients show them: it must be stable between responses. */
export const TOOLS: readonly AnyTool[] = [
  serviceDiscover,
  serviceEstimate,
  serviceExecute,
  serviceBatchExecute,
  serviceBatchGet,
  serviceBatchCancel,
  serviceCreditsGet,
  retrieverBuildListStart,
  retrieverBuildListGet,
  retrieverBuildListCancel,
  tableList,
  tableGet,
  tableRowsGet,
  tableImport,
  tableExport,
  tableExclusionsGet,
  tableExclusionsUpdate,
  sequenceMailboxesGet,
  sequenceMailboxConnect,
  sequenceList,
  sequenceGet,
  sequenceCreate,
  sequenceUpdate,
  sequenceEnroll,
  sequenceEnrollmentsGet,
  sequencePreview,
  sequenceApprovalRequest,
  sequenceActivate,
  sequencePause,
  sequenceContactStop,
  sequenceStatsGet,
  sequenceSuppressionsGet,
  sequenceSuppressionsAdd,
  inboxThreadsGet,
  inboxThreadGet,
  inboxThreadUpdate,
  inboxDraftCreate,
  inboxDraftSend,
];
