export { errorDetail as detail, faultCode, pathText, type FaultStyle } from './faults/fault-style.js';
export { requireExpected } from './faults/expected-fields.js';
export { FAULTS_SHOWN_MAX, faultsError, fieldError, unrecognizedKey, type Fault } from './faults/faults.js';
export { nearestKey } from './faults/nearest-key.js';
export { schemaFaults } from './faults/schema-faults.js';
export { IDEMPOTENCY_KEY } from './idempotency-key.js';
export { isUsableKey } from './is-usable-key.js';
export {
  isWithinLimits,
  readJsonSchema,
  readObjectSchema,
  type JsonSchemaFault,
  type JsonSchemaNode,
  type ValueLimits,
} from './json-schema.js';
export { Optional } from './optional.js';
export { isCalendarDay } from './utc-time.js';
export { CursorPageQuery, DigitsInt, OffsetPageQuery } from './pages.js';
export { CreatePlanRequest, CreateRunOfPlanRequest, type PlanJson } from './plans.js';
export { ProviderChangeRequest } from './providers.js';
export { allowsNull, isOfProperties, typesOfSchema, type OutputSchema } from './output-schema.js';
export { cellText } from './cell-text.js';
export { CreateEnrichmentRequest } from './enrichments.js';
export { CreateRunRequest, RunListQuery, type RunArtifact, type RunJson, type RunStatus } from './runs.js';
export {
  cellOf,
  COLUMN_KINDS,
  QUALIFICATION_EFFECTS,
  type CellJson,
  type Citation,
  type ColumnJson,
  type ColumnKind,
  type FitCounts,
  type FitJson,
  type FitStatus,
  type Qualification,
  type QualificationEffect,
  type RowJson,
  type TableJson,
} from './tables.js';
export {
  CreateExportRequest,
  CreateExportLinkRequest,
  CreateTableExportRequest,
  CreateWorkspaceRequest,
  EXPORT_FORMATS,
  type ExportColumnRequest,
  type ExportFormat,
} from './workspaces.js';
export { CreateGoRunRequest, GoRunListQuery, GoRunReadQuery, type GoEffort } from './go.js';
export {
  AcceptInvitationRequest,
  ChangeMemberRequest,
  ChangePasswordRequest,
  CreateKeyRequest,
  InviteMemberRequest,
  OpenSessionRequest,
  USER_ROLES,
  type AuditItem,
  type KeyItem,
  type ListOf,
  type MemberItem,
  type SessionItem,
  type SessionJson,
  type UserRole,
} from './identity.js';
export { EventFeedQuery, EventQuery } from './events.js';
export {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  ReplayWebhookRequest,
  RotateWebhookRequest,
  WEBHOOK_TYPES,
  WEBHOOKS_MAX,
} from './webhooks.js';
export {
  ChangeDestinationRequest,
  CreateDestinationRequest,
  DESTINATION_KINDS,
  DESTINATIONS_MAX,
  PushRequest,
  type DestinationKind,
} from './destinations.js';
export { ChangeMonitorRequest, CreateMonitorRequest, MonitorItemQuery, MONITORS_MAX } from './monitors.js';
export {
  MAILBOXES_MAX,
  SEQUENCES_MAX,
  ENROLLMENTS_MAX,
  PREVIEW_CONTACTS_MAX,
  WEEKDAYS,
  type Weekday,
  SEQUENCE_STATUSES,
  type SequenceStatus,
  ENROLLMENT_STATUSES,
  type EnrollmentStatus,
  THREAD_KINDS,
  type ThreadKind,
  CreateSequenceRequest,
  ChangeSequenceRequest,
  SequenceListQuery,
  EnrollRequest,
  EnrollmentListQuery,
  PreviewRequest,
  RequestApprovalRequest,
  ActivateSequenceRequest,
  StopContactRequest,
  SuppressionQuery,
  AddSuppressionsRequest,
  ThreadListQuery,
  ChangeThreadRequest,
  CreateDraftRequest,
  SendDraftRequest,
  MailServerRequest,
  ConnectMailboxRequest,
  ChangeMailboxRequest,
  DecideApprovalRequest,
  ResolveMessageRequest,
} from './outreach.js';
export { FileQuery, RenameRequest } from './workspaces.js';
export { CreateViewRequest, TableListQuery, WindowQuery, type ViewFilter } from './table-views.js';
export { ErasureRequest } from './erasures.js';
export { nameOrders, Person, type PersonNamed } from './person.js';
export { linkedInAddress, linkedInSlug } from './linkedin-slug.js';
export {
  EXCLUSION_KINDS,
  ExclusionItem,
  ExclusionItemsRequest,
  ExclusionSyncRequest,
  type ExclusionKind,
} from './exclusions.js';
export {
  CreateBatchRequest,
  CreditUsageQuery,
  EstimateRequest,
  JOB_STATUSES,
  JobListQuery,
  LedgerQuery,
  type JobStatus,
  type UsagePart,
} from './service-jobs.js';
export { defineMethod as method, type RequestOf, type ResponseOf } from './rpc/rpc-method.js';
export { ERASURES_RPC, TABLES_RPC, type ExportHead } from './rpc/tables.rpc.js';
export { GO_RPC, type GoAccepted } from './rpc/go.rpc.js';
export { IDENTITY_RPC, type Actor, type OpenedSession, type Visitor } from './rpc/identity.rpc.js';
export { MONITORS_RPC } from './rpc/monitors.rpc.js';
export { RUNS_RPC } from './rpc/runs.rpc.js';
export { FAST_SERVICES_RPC, PROVIDERS_RPC, SERVICES_RPC, type BatchAccepted } from './rpc/services.rpc.js';
export { OUTREACH_RPC } from './rpc/outreach.rpc.js';
export { WEBHOOKS_RPC } from './rpc/webhooks.rpc.js';
export { DESTINATIONS_RPC } from './rpc/destinations.rpc.js';
export { GoRunReady, JobsReady, RunReady } from './queues/payloads.js';
export {
  QUEUES,
  QUEUE_NAMES,
  type QueueName,
  WORKER_QUEUES,
  type WorkerQueue,
} from './queues/queue-catalogue.js';
export { HOST_IN_TEXT, registrableDomain } from './registrable-domain.js';
export { siteOf } from './site-of.js';
export {
  cursorPageText,
  jsonText,
  offsetPageText,
  parseResource,
  type JsonBody,
  type JsonText,
  type ResourceOf,
} from './resources/json-text.js';
export { idOf, idPatternOf, resourceSchemas, type JsonSchema } from './resources/resource.js';
export { ErrorEnvelope, Health } from './resources/errors.resources.js';
export {
  ErasureReceipt,
  ExclusionPage,
  ExclusionsAdded,
  ExclusionsDeleted,
  ExclusionsSynchronised,
} from './resources/exclusions.resources.js';
export { GoQuestion, GoQuestionPage, GoRun, GoRunPage } from './resources/go.resources.js';
export { Plan } from './resources/plans.resources.js';
export { ProviderItem, ProviderList } from './resources/providers.resources.js';
export { Trail } from './resources/trails.resources.js';
export { Enrichment, EnrichmentEstimate } from './resources/enrichments.resources.js';
export { Event, EVENT_TYPES, EventPage } from './resources/events.resources.js';
export {
  Monitor,
  MonitorItem,
  MonitorItemPage,
  MonitorList,
  MonitorRun,
  MonitorRunPage,
} from './resources/monitors.resources.js';
export {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookReplay,
  WebhookWithSecret,
} from './resources/webhooks.resources.js';
export {
  Destination,
  DestinationList,
  Push,
  PushFailure,
  PushFailurePage,
  PushPage,
  PushPreview,
} from './resources/destinations.resources.js';
export {
  Mailbox,
  MailboxPage,
  SequenceSummary,
  SequencePage,
  Approval,
  ApprovalPage,
  Sequence,
  EnrollmentResult,
  Enrollment,
  EnrollmentPage,
  SequencePreview,
  SequenceStats,
  ContactStopped,
  Suppression,
  SuppressionPage,
  SuppressionsAdded,
  Thread,
  ThreadPage,
  ThreadMessages,
  MessageDraft,
  DraftSent,
  ApprovalDetails,
} from './resources/outreach.resources.js';
export { Run, RunOutput, RunPage, RunSteps } from './resources/runs.resources.js';
export {
  Balance,
  Batch,
  CreditUsage,
  Estimate,
  Job,
  JobPage,
  LedgerEntry,
  LedgerPage,
  Service,
  ServiceAnswer,
  ServicePage,
  SpendLimits,
} from './resources/services.resources.js';
export {
  CellDetails,
  ColumnDetails,
  Export,
  ExportLink,
  FilePreview,
  Row,
  RowPage,
  Table,
  TablePage,
  TableView,
  TableWindow,
  Workspace,
  WorkspacePage,
} from './resources/tables.resources.js';
export { trimPasted } from './trim-pasted.js';
