// The shapes of the API, from their declarations. Types only, so nothing of them is in the bundle.
import type * as dto from '@quarry/dto';

type Shape<Declared extends { _output: unknown }> = Declared['_output'];

export type Run = Shape<typeof dto.Run>;
export type RunStatus = Run['status'];
export type RunSteps = Shape<typeof dto.RunSteps>;
export type Plan = Shape<typeof dto.Plan>;
export type Table = Shape<typeof dto.Table>;
export type Column = Table['columns'][number];
export type ColumnDetails = Shape<typeof dto.ColumnDetails>;
export type Row = Shape<typeof dto.RowPage>['items'][number];
export type Cell = Row['cells'][string];
export type Trail = Shape<typeof dto.Trail>;
export type Workspace = Shape<typeof dto.Workspace>;
export type ExportLink = Shape<typeof dto.ExportLink>;
export type Export = Shape<typeof dto.Export>;
export type Batch = Shape<typeof dto.Batch>;
export type JobLine = Batch['jobs'][number];
export type Job = Shape<typeof dto.JobPage>['items'][number];
export type ServiceSummary = Shape<typeof dto.ServicePage>['items'][number];
export type Service = Shape<typeof dto.Service>;
export type ServiceAnswer = Shape<typeof dto.ServiceAnswer>;
export type Balance = Shape<typeof dto.Balance>;
export type LedgerEntry = Shape<typeof dto.LedgerPage>['items'][number];
export type CreditUsage = Shape<typeof dto.CreditUsage>;
export type Webhook = Shape<typeof dto.Webhook>;
export type WebhookList = Shape<typeof dto.WebhookList>;
export type WebhookWithSecret = Shape<typeof dto.WebhookWithSecret>;
export type WebhookDelivery = Shape<typeof dto.WebhookDelivery>;
export type WebhookReplay = Shape<typeof dto.WebhookReplay>;
export type Destination = Shape<typeof dto.Destination>;
export type DestinationList = Shape<typeof dto.DestinationList>;
export type Push = Shape<typeof dto.Push>;
export type PushFailure = Shape<typeof dto.PushFailure>;
export type PushPreview = Shape<typeof dto.PushPreview>;
export type Monitor = Shape<typeof dto.Monitor>;
export type MonitorList = Shape<typeof dto.MonitorList>;
export type MonitorRun = Shape<typeof dto.MonitorRun>;
export type MonitorItem = Shape<typeof dto.MonitorItem>;
export type Mailbox = Shape<typeof dto.Mailbox>;
export type Sequence = Shape<typeof dto.Sequence>;
export type SequenceSummary = Shape<typeof dto.SequenceSummary>;
export type SequencePreview = Shape<typeof dto.SequencePreview>;
export type SequenceStats = Shape<typeof dto.SequenceStats>;
export type Enrollment = Shape<typeof dto.Enrollment>;
export type EnrollmentResult = Shape<typeof dto.EnrollmentResult>;
export type Approval = Shape<typeof dto.Approval>;
export type ApprovalDetails = Shape<typeof dto.ApprovalDetails>;
export type Suppression = Shape<typeof dto.Suppression>;
export type SuppressionsAdded = Shape<typeof dto.SuppressionsAdded>;
export type Thread = Shape<typeof dto.Thread>;
export type ThreadMessages = Shape<typeof dto.ThreadMessages>;
export type MessageDraft = Shape<typeof dto.MessageDraft>;
export type SpendLimits = Shape<typeof dto.SpendLimits>;
export type GoRun = Shape<typeof dto.GoRun>;
export type GoQuestion = Shape<typeof dto.GoQuestion>;
export type Provider = Shape<typeof dto.ProviderList>['items'][number];
export type ErasureReceipt = Shape<typeof dto.ErasureReceipt>;
export type ExclusionEntry = Shape<typeof dto.ExclusionPage>['items'][number];
export type ExclusionsSynchronised = Shape<typeof dto.ExclusionsSynchronised>;
export type ExclusionKind = dto.ExclusionKind;
export type Role = dto.UserRole;
export type Session = dto.SessionJson;
export type ApiKey = dto.KeyItem;
export type SessionItem = dto.SessionItem;
export type Member = dto.MemberItem;
export type AuditEntry = dto.AuditItem;

export interface OffsetPage<Item> {
  readonly items: readonly Item[];
  readonly next_offset: number | null;
}
export interface CursorPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

export interface RowWindow {
  readonly items: readonly Row[];
  readonly from: number;
  readonly row_count: number;
  readonly revision: number;
}
export interface TableView {
  readonly id: string;
  readonly row_count: number;
  readonly revision: number;
  readonly expires_at: string;
}
export interface CellDetail {
  readonly value: unknown;
  readonly cell: Cell | null;
  readonly trail: Trail['steps'] | null;
  readonly cost: { readonly amount: number; readonly ledger_id: string } | null;
}
export interface Enrichment {
  readonly id: string;
  readonly table_id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'cancelled';
  readonly counts: Readonly<Record<'pending' | 'filled' | 'empty' | 'failed' | 'skipped', number>>;
  readonly charged: number;
}
/** Price of an enrichment before it is started. */
export interface Estimated {
  readonly estimate: { readonly rows: number; readonly credits_min: number; readonly credits_max: number };
}
