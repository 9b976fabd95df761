// Written by `npm run generate` from the description of the API.
import type { QuarryEvent } from './events.js';
import type { PagesOf } from './pages.js';
import type {
  FollowOptions,
  FreshOptions,
  ResourceOperations,
  SpendOptions,
  WaitOptions,
} from './resource.js';
import type { CallOptions } from './transport.js';
import type * as Api from './types.gen.js';

type QueryOf<Data extends { query?: unknown }> = NonNullable<Data['query']>;

/** How a prompt is read and what it can cost, before anything runs. */
export interface PlansMethods {
  /** Reads a prompt, and says how. */
  create(body: Api.CreatePlanRequest, options?: CallOptions): Promise<Api.Plan>;

  /** Reads a plan. */
  get(id: string, options?: CallOptions): Promise<Api.Plan>;

  /** Reads the JSON Schema of an intent. */
  getSchema(options?: CallOptions): Promise<Api.GetIntentSchemaResponse>;

  /** Starts a run that does what the plan says. */
  run(id: string, body?: Api.CreateRunOfPlanRequest, options?: SpendOptions): Promise<Api.Run>;
}

/** A prompt becomes a table of companies or people. */
export interface RunsMethods {
  /** Starts a run. */
  create(body: Api.CreateRunRequest, options?: SpendOptions): Promise<Api.Run>;

  /** Lists runs, the newest first. */
  list(query?: QueryOf<Api.ListRunsData>, options?: CallOptions): PagesOf<Api.RunPage>;

  /** Reads a run. */
  get(id: string, options?: WaitOptions): Promise<Api.Run>;

  /** Cancels a run. */
  cancel(id: string, options?: CallOptions): Promise<Api.Run>;

  /** Returns it when it has ended, whatever its end is. */
  wait(id: string, options?: CallOptions): Promise<Api.Run>;

  /** Reads or follows the events of a run. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent>;

  /** Reads how a run went. */
  getSteps(id: string, options?: CallOptions): Promise<Api.RunSteps>;

  /** Reads what a run has published. */
  getOutput(id: string, options?: CallOptions): Promise<Api.RunOutput>;

  /** Reads the rows of a frozen table. */
  listOutputRows(
    id: string,
    key: string,
    query?: QueryOf<Api.ListFrozenRowsData>,
    options?: CallOptions,
  ): PagesOf<Api.RowPage>;

  /** Exports a frozen table. */
  createExport(id: string, body: Api.CreateExportRequest, options?: CallOptions): Promise<Api.Export>;
}

/** Questions that are answered from the web, with sources. */
export interface GoMethods {
  /** Starts research. */
  create(body: Api.CreateGoRunRequest, options?: CallOptions): Promise<Api.GoRun>;

  /** Lists Go runs, the newest first. */
  list(query?: QueryOf<Api.ListGoRunsData>, options?: CallOptions): PagesOf<Api.GoRunPage>;

  /** Reads a Go run. */
  get(id: string, options?: WaitOptions): Promise<Api.GoRun>;

  /** Cancels a Go run. */
  cancel(id: string, options?: CallOptions): Promise<Api.GoRun>;

  /** Returns it when it has ended, whatever its end is. */
  wait(id: string, options?: CallOptions): Promise<Api.GoRun>;

  /** Reads or follows the events of a Go run. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent>;
}

/** What has happened, as pages and as streams. */
export interface BatchesMethods {
  /** Reads a batch. */
  get(id: string, options?: WaitOptions): Promise<Api.Batch>;

  /** Cancels the lines of a batch that wait. */
  cancel(id: string, options?: CallOptions): Promise<Api.Batch>;

  /** Returns it when it has ended, whatever its end is. */
  wait(id: string, options?: CallOptions): Promise<Api.Batch>;

  /** Reads or follows the events of a batch. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent>;
}

/** What has happened, as pages and as streams. */
export interface EventsMethods {}

/** Workspaces, tables, imports and exports. */
export interface TablesMethods {
  /** Lists the tables of all workspaces, the newest first. */
  list(query?: QueryOf<Api.FindTablesData>, options?: CallOptions): PagesOf<Api.TablePage>;

  /** Reads what a live table is. */
  get(id: string, options?: CallOptions): Promise<Api.Table>;

  /** Fills columns of a live table by a service. */
  enrich(
    id: string,
    body: Api.CreateEnrichmentRequest & { dry_run?: never },
    options?: FreshOptions,
  ): Promise<Api.Enrichment>;

  /** Exports a live table. */
  createExport(id: string, body: Api.CreateTableExportRequest, options?: CallOptions): Promise<Api.Export>;

  /** Reads the rows of a live table. */
  listRows(id: string, query?: QueryOf<Api.ListRowsData>, options?: CallOptions): PagesOf<Api.RowPage>;

  /** Reads rows of a live table by their place. */
  readWindow(
    id: string,
    query?: QueryOf<Api.ReadWindowData>,
    options?: CallOptions,
  ): Promise<Api.TableWindow>;

  /** Makes a view of a live table: some of its rows, in an order. */
  createView(id: string, body: Api.CreateViewRequest, options?: CallOptions): Promise<Api.TableView>;

  /** Reads a row of a live table. */
  getRow(id: string, rowId: string, options?: CallOptions): Promise<Api.Row>;

  /** Reads a cell of a live table: its value, who was asked for it and what it cost. */
  getCell(id: string, rowId: string, key: string, options?: CallOptions): Promise<Api.CellDetails>;
}

/** Workspaces, tables, imports and exports. */
export interface EnrichmentsMethods {
  /** Reads an enrichment. */
  get(id: string, options?: WaitOptions): Promise<Api.Enrichment>;

  /** Cancels an enrichment. */
  cancel(id: string, options?: CallOptions): Promise<Api.Enrichment>;

  /** Returns it when it has ended, whatever its end is. */
  wait(id: string, options?: CallOptions): Promise<Api.Enrichment>;
}

/** Workspaces, tables, imports and exports. */
export interface ExportsMethods {
  /** Makes a link that opens an export without a key. */
  createLink(id: string, body?: Api.CreateExportLinkRequest, options?: CallOptions): Promise<Api.ExportLink>;
}

/** Workspaces, tables, imports and exports. */
export interface WorkspacesMethods {
  /** Makes a workspace. */
  create(body: Api.CreateWorkspaceRequest, options?: CallOptions): Promise<Api.Workspace>;

  /** Lists workspaces, the oldest first. */
  list(query?: QueryOf<Api.ListWorkspacesData>, options?: CallOptions): PagesOf<Api.WorkspacePage>;

  /** Reads a workspace. */
  get(id: string, options?: CallOptions): Promise<Api.Workspace>;

  /** Archives a workspace. */
  archive(id: string, options?: CallOptions): Promise<void>;

  /** Lists the tables of a workspace. */
  listTables(id: string, query?: QueryOf<Api.ListTablesData>, options?: CallOptions): PagesOf<Api.TablePage>;

  /** Imports a table. */
  importTable(id: string, body: Api.ImportTableRequest, options?: CallOptions): Promise<Api.Table>;
}

/** Companies and people that are never sourced, and people who must not be kept. */
export interface ExclusionsMethods {
  /** Lists what is excluded. */
  list(
    kind: Api.ListExclusionsData['path']['kind'],
    query?: QueryOf<Api.ListExclusionsData>,
    options?: CallOptions,
  ): PagesOf<Api.ExclusionPage>;

  /** Takes entries off the list, where a DELETE with a body does not come through. */
  delete(
    kind: Api.RemoveExclusionsData['path']['kind'],
    body: Api.ExclusionItemsRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsDeleted>;

  /** Erases a person. */
  erasePerson(body: Api.ErasureRequest, options?: CallOptions): Promise<Api.ErasureReceipt>;

  /** Excludes companies or people. */
  add(
    kind: Api.AddExclusionsData['path']['kind'],
    body: Api.ExclusionItemsRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsAdded>;

  /** Replaces the entries of one source. */
  sync(
    kind: Api.SyncExclusionsData['path']['kind'],
    body: Api.ExclusionSyncRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsSynchronised>;
}

/** Slow services, run over lists of inputs as background jobs. */
export interface JobsMethods {
  /** Lists jobs, the newest first. */
  list(query?: QueryOf<Api.ListJobsData>, options?: CallOptions): PagesOf<Api.JobPage>;

  /** Reads who was asked for a job. */
  getTrail(id: string, options?: CallOptions): Promise<Api.Trail>;
}

/** The catalogue, and fast services, which answer at once. */
export interface ServicesMethods {
  /** Lists the services. */
  list(query?: QueryOf<Api.ListServicesData>, options?: CallOptions): PagesOf<Api.ServicePage>;

  /** Reads a service with its schemas. */
  get(name: string, options?: CallOptions): Promise<Api.Service>;

  /** Calls a fast service. Each answer is charged: without a key a call is repeated only where the server has not begun it. */
  call<Name extends keyof Api.FastServices>(
    name: Name,
    input: Api.FastServices[Name][0],
    options?: CallOptions,
  ): Promise<Api.FastServices[Name][1]>;
}

/** The balance, what was charged, and spend caps. */
export interface CreditsMethods {
  /** Reads the balance. */
  get(options?: CallOptions): Promise<Api.Balance>;

  /** Reads the spend caps of the organisation and of this key. */
  getLimits(options?: CallOptions): Promise<Api.SpendLimits>;

  /** Says what a list would cost. */
  estimate(body: Api.EstimateRequest, options?: CallOptions): Promise<Api.Estimate>;

  /** Sums what was spent, by day, service, run or key. */
  getUsage(query?: QueryOf<Api.GetCreditUsageData>, options?: CallOptions): Promise<Api.CreditUsage>;

  /** Lists what was granted and charged. */
  listLedger(query?: QueryOf<Api.ListLedgerData>, options?: CallOptions): PagesOf<Api.LedgerPage>;
}

/** Who answers which service, and own keys at vendors. */
export interface ProvidersMethods {
  /** Lists the vendors of the catalogue, with whose key each is asked. */
  list(options?: CallOptions): Promise<Api.ProviderList>;

  /** Forgets your own key at a vendor, and your switch. */
  delete(id: string, options?: CallOptions): Promise<Api.Provider>;

  /** Keeps your own key at a vendor, or switches the vendor on or off for you. */
  set(id: string, body: Api.ProviderChangeRequest, options?: CallOptions): Promise<Api.Provider>;
}

/** Plans on a schedule, which report what is new. */
export interface MonitorsMethods {
  /** Runs a plan on a schedule and reports what is new. */
  create(body: Api.CreateMonitorRequest, options?: CallOptions): Promise<Api.Monitor>;

  /** Lists the monitors. */
  list(options?: CallOptions): Promise<Api.MonitorList>;

  /** Reads a monitor. */
  get(id: string, options?: CallOptions): Promise<Api.Monitor>;

  /** Changes name, schedule or budgets of a monitor. */
  update(id: string, body: Api.ChangeMonitorRequest, options?: CallOptions): Promise<Api.Monitor>;

  /** Removes a monitor with what it knows. */
  delete(id: string, options?: CallOptions): Promise<void>;

  /** Pauses a monitor. */
  pause(id: string, options?: CallOptions): Promise<Api.Monitor>;

  /** Lets a paused monitor go on from its next date. */
  resume(id: string, options?: CallOptions): Promise<Api.Monitor>;

  /** Runs a monitor now, beside its schedule. */
  trigger(id: string, options?: CallOptions): Promise<Api.MonitorRun>;

  /** Lists the dates of a monitor, the newest first, and what came of each. */
  listRuns(
    id: string,
    query?: QueryOf<Api.ListMonitorRunsData>,
    options?: CallOptions,
  ): PagesOf<Api.MonitorRunPage>;

  /** Lists what a monitor has reported, over all of its runs. */
  listItems(
    id: string,
    query?: QueryOf<Api.ListMonitorItemsData>,
    options?: CallOptions,
  ): PagesOf<Api.MonitorItemPage>;
}

/** What happens, sent to addresses of yours. */
export interface WebhooksMethods {
  /** Has events sent to an address of yours. */
  create(body: Api.CreateWebhookRequest, options?: CallOptions): Promise<Api.WebhookWithSecret>;

  /** Lists the webhooks. */
  list(options?: CallOptions): Promise<Api.WebhookList>;

  /** Reads a webhook. */
  get(id: string, options?: CallOptions): Promise<Api.Webhook>;

  /** Changes a webhook, or switches it off or on. */
  update(id: string, body: Api.ChangeWebhookRequest, options?: CallOptions): Promise<Api.Webhook>;

  /** Removes a webhook with its deliveries. */
  delete(id: string, options?: CallOptions): Promise<void>;

  /** Gives a webhook a new secret. */
  rotate(id: string, body?: Api.RotateWebhookRequest, options?: CallOptions): Promise<Api.WebhookWithSecret>;

  /** Sends an event webhook.test to a webhook. */
  test(id: string, options?: CallOptions): Promise<Api.WebhookDelivery>;

  /** Lists what was sent to a webhook and what is to be sent, with all attempts. */
  listDeliveries(
    id: string,
    query?: QueryOf<Api.ListWebhookDeliveriesData>,
    options?: CallOptions,
  ): PagesOf<Api.WebhookDeliveryPage>;

  /** Sends an event again. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Api.WebhookDelivery>;

  /** Sends what happened within a time again, or for the first time. */
  replay(id: string, body: Api.ReplayWebhookRequest, options?: CallOptions): Promise<Api.WebhookReplay>;
}

/** Rows of tables, pushed to a webhook, a CRM or a sequencer. */
export interface DestinationsMethods {
  /** Makes a destination for rows: a webhook, a CRM or a sequencer. */
  create(body: Api.CreateDestinationRequest, options?: CallOptions): Promise<Api.Destination>;

  /** Lists the destinations. */
  list(options?: CallOptions): Promise<Api.DestinationList>;

  /** Reads a destination. */
  get(id: string, options?: CallOptions): Promise<Api.Destination>;

  /** Changes the name, the secret or the mapping of a destination. */
  update(id: string, body: Api.ChangeDestinationRequest, options?: CallOptions): Promise<Api.Destination>;

  /** Removes a destination with its pushes. */
  delete(id: string, options?: CallOptions): Promise<void>;

  /** Says what a push would do now, and sends nothing. */
  preview(id: string, body: Api.PushRequest, options?: CallOptions): Promise<Api.PushPreview>;

  /** Pushes the rows of a table, or of a view on it, to a destination. */
  push(id: string, body: Api.PushRequest, options?: CallOptions): Promise<Api.Push>;

  /** Lists the pushes to a destination. */
  listPushes(id: string, query?: QueryOf<Api.ListPushesData>, options?: CallOptions): PagesOf<Api.PushPage>;

  /** Reads a push. */
  getPush(id: string, pushId: string, options?: CallOptions): Promise<Api.Push>;

  /** Lists the rows of a push that were refused, with the reason. */
  listFailures(
    id: string,
    pushId: string,
    query?: QueryOf<Api.ListPushFailuresData>,
    options?: CallOptions,
  ): PagesOf<Api.PushFailurePage>;
}

/** Messages to people, which a person approves, and their answers. */
export interface SequencesMethods {
  /** Makes a sequence as a draft; nothing is sent. */
  create(body: Api.CreateSequenceRequest, options?: CallOptions): Promise<Api.Sequence>;

  /** Lists the sequences, the newest first. */
  list(query?: QueryOf<Api.ListSequencesData>, options?: CallOptions): PagesOf<Api.SequencePage>;

  /** Reads a sequence with its steps and its last approval. */
  get(id: string, options?: CallOptions): Promise<Api.Sequence>;

  /** Changes a sequence that is a draft, approved or paused. */
  update(id: string, body: Api.ChangeSequenceRequest, options?: CallOptions): Promise<Api.Sequence>;

  /** Adds the people of a table or a monitor to a sequence; nothing is sent. */
  enroll(id: string, body: Api.EnrollRequest, options?: CallOptions): Promise<Api.EnrollmentResult>;

  /** Lists the contacts of a sequence, where each stands, and why it has stopped. */
  listEnrollments(
    id: string,
    query?: QueryOf<Api.ListEnrollmentsData>,
    options?: CallOptions,
  ): PagesOf<Api.EnrollmentPage>;

  /** Renders the messages of up to ten contacts, with what speaks against them. */
  preview(id: string, body?: Api.PreviewRequest, options?: CallOptions): Promise<Api.SequencePreview>;

  /** Asks a person to approve exactly what the preview shows. */
  requestApproval(id: string, body: Api.RequestApprovalRequest, options?: CallOptions): Promise<Api.Approval>;

  /** Starts an approved sequence. */
  activate(id: string, body: Api.ActivateSequenceRequest, options?: CallOptions): Promise<Api.Sequence>;

  /** Pauses a sequence. */
  pause(id: string, options?: CallOptions): Promise<Api.Sequence>;

  /** Counts what was sent, bounced, replied to and unsubscribed from, by step and by day. */
  getStats(id: string, options?: CallOptions): Promise<Api.SequenceStats>;
}

/** Messages to people, which a person approves, and their answers. */
export interface MailboxesMethods {
  /** Lists the mailboxes, with their health, limits and what they have sent today. */
  list(query?: QueryOf<Api.ListMailboxesData>, options?: CallOptions): PagesOf<Api.MailboxPage>;
}

/** Messages to people, which a person approves, and their answers. */
export interface ContactsMethods {
  /** Takes a contact out of one sequence or of all, and on demand never writes to them again. */
  stop(body: Api.StopContactRequest, options?: CallOptions): Promise<Api.ContactStopped>;

  /** Lists the addresses and domains that are never written to, the newest first. */
  listSuppressions(
    query?: QueryOf<Api.ListSuppressionsData>,
    options?: CallOptions,
  ): PagesOf<Api.SuppressionPage>;

  /** Never writes to these addresses and domains again. */
  suppress(body: Api.AddSuppressionsRequest, options?: CallOptions): Promise<Api.SuppressionsAdded>;
}

/** Messages to people, which a person approves, and their answers. */
export interface InboxMethods {
  /** Lists the threads of all mailboxes, the last message first. */
  list(query?: QueryOf<Api.ListThreadsData>, options?: CallOptions): PagesOf<Api.ThreadPage>;

  /** Reads the messages of a thread, the newest last, without the text that they quote. */
  get(id: string, query?: QueryOf<Api.GetThreadData>, options?: CallOptions): Promise<Api.ThreadMessages>;

  /** Labels a thread, or marks it as read or unread. */
  update(id: string, body: Api.ChangeThreadRequest, options?: CallOptions): Promise<Api.Thread>;

  /** Writes an answer in a thread and asks for its approval; nothing is sent. */
  createDraft(id: string, body: Api.CreateDraftRequest, options?: CallOptions): Promise<Api.MessageDraft>;

  /** Sends a draft that a person has approved. */
  sendDraft(id: string, body: Api.SendDraftRequest, options?: CallOptions): Promise<Api.DraftSent>;
}

/** Resources by their names in `Quarry`: the path of each, and its operations. */
export const RESOURCES = {
  plans: [
    '/v1/plans',
    {
      create: 'make',
      get: 'get /*',
      getSchema: 'get /schema',
      run: 'make /*/runs',
    },
  ] as ResourceOperations<PlansMethods>,
  runs: [
    '/v1/runs',
    {
      create: 'make',
      list: 'pages',
      get: 'get /*',
      cancel: 'act /*/cancel',
      wait: 'wait /*',
      followEvents: 'follow /*/events',
      getSteps: 'get /*/steps',
      getOutput: 'get /*/output',
      listOutputRows: 'pages /*/output/tables/*/rows',
      createExport: 'make /*/exports',
    },
  ] as ResourceOperations<RunsMethods>,
  go: [
    '/v1/go/runs',
    {
      create: 'make',
      list: 'pages',
      get: 'get /*',
      cancel: 'act /*/cancel',
      wait: 'wait /*',
      followEvents: 'follow /*/events',
    },
  ] as ResourceOperations<GoMethods>,
  batches: [
    '/v1/services/jobs/batch',
    {
      get: 'get /*',
      cancel: 'act /*/cancel',
      wait: 'wait /*',
      followEvents: 'follow /*/events',
    },
  ] as ResourceOperations<BatchesMethods>,
  events: ['', {}] as ResourceOperations<EventsMethods>,
  tables: [
    '/v1/tables',
    {
      list: 'pages',
      get: 'get /*',
      enrich: 'make /*/enrichments',
      createExport: 'make /*/exports',
      listRows: 'pages /*/rows',
      readWindow: 'query /*/window',
      createView: 'post /*/views',
      getRow: 'get /*/rows/*',
      getCell: 'get /*/rows/*/cells/*',
    },
  ] as ResourceOperations<TablesMethods>,
  enrichments: [
    '/v1/enrichments',
    {
      get: 'get /*',
      cancel: 'act /*/cancel',
      wait: 'wait /*',
    },
  ] as ResourceOperations<EnrichmentsMethods>,
  exports: [
    '/v1/exports',
    {
      createLink: 'post /*/links',
    },
  ] as ResourceOperations<ExportsMethods>,
  workspaces: [
    '/v1/workspaces',
    {
      create: 'make',
      list: 'pages',
      get: 'get /*',
      archive: 'delete /*',
      listTables: 'pages /*/tables',
      importTable: 'make /*/tables',
    },
  ] as ResourceOperations<WorkspacesMethods>,
  exclusions: [
    '/v1',
    {
      list: 'pages /exclusions/*',
      delete: 'post /exclusions/*/delete',
      erasePerson: 'make /erasures',
      add: 'post /exclusions/*',
      sync: 'put /exclusions/*',
    },
  ] as ResourceOperations<ExclusionsMethods>,
  jobs: [
    '/v1/services/jobs',
    {
      list: 'pages',
      getTrail: 'get /*/trail',
    },
  ] as ResourceOperations<JobsMethods>,
  services: [
    '/services',
    {
      list: 'pages',
      get: 'get /*',
      call: 'once /*',
    },
  ] as ResourceOperations<ServicesMethods>,
  credits: [
    '',
    {
      get: 'get /credits',
      getLimits: 'get /v1/limits',
      estimate: 'post /credits/estimate',
      getUsage: 'query /credits/usage',
      listLedger: 'pages /credits/ledger',
    },
  ] as ResourceOperations<CreditsMethods>,
  providers: [
    '/v1/providers',
    {
      list: 'get',
      delete: 'delete /*',
      set: 'put /*',
    },
  ] as ResourceOperations<ProvidersMethods>,
  monitors: [
    '/v1/monitors',
    {
      create: 'make',
      list: 'get',
      get: 'get /*',
      update: 'patch /*',
      delete: 'delete /*',
      pause: 'act /*/pause',
      resume: 'act /*/resume',
      trigger: 'trigger /*/trigger',
      listRuns: 'pages /*/runs',
      listItems: 'pages /*/items',
    },
  ] as ResourceOperations<MonitorsMethods>,
  webhooks: [
    '/v1/webhooks',
    {
      create: 'make',
      list: 'get',
      get: 'get /*',
      update: 'patch /*',
      delete: 'delete /*',
      rotate: 'once /*/rotate',
      test: 'repeat /*/test',
      listDeliveries: 'pages /*/deliveries',
      redeliver: 'repeat /*/deliveries/*/redeliver',
      replay: 'once /*/replay',
    },
  ] as ResourceOperations<WebhooksMethods>,
  destinations: [
    '/v1/destinations',
    {
      create: 'make',
      list: 'get',
      get: 'get /*',
      update: 'patch /*',
      delete: 'delete /*',
      preview: 'post /*/preview',
      push: 'make /*/pushes',
      listPushes: 'pages /*/pushes',
      getPush: 'get /*/pushes/*',
      listFailures: 'pages /*/pushes/*/failures',
    },
  ] as ResourceOperations<DestinationsMethods>,
  sequences: [
    '/v1/sequences',
    {
      create: 'make',
      list: 'pages',
      get: 'get /*',
      update: 'patch /*',
      enroll: 'post /*/enrollments',
      listEnrollments: 'pages /*/enrollments',
      preview: 'post /*/preview',
      requestApproval: 'post /*/approvals',
      activate: 'post /*/activate',
      pause: 'act /*/pause',
      getStats: 'get /*/stats',
    },
  ] as ResourceOperations<SequencesMethods>,
  mailboxes: [
    '/v1/mailboxes',
    {
      list: 'pages',
    },
  ] as ResourceOperations<MailboxesMethods>,
  contacts: [
    '/v1',
    {
      stop: 'post /contacts/stop',
      listSuppressions: 'pages /suppressions',
      suppress: 'post /suppressions',
    },
  ] as ResourceOperations<ContactsMethods>,
  inbox: [
    '/v1/inbox',
    {
      list: 'pages /threads',
      get: 'query /threads/*',
      update: 'patch /threads/*',
      createDraft: 'make /threads/*/drafts',
      sendDraft: 'post /drafts/*/send',
    },
  ] as ResourceOperations<InboxMethods>,
};
