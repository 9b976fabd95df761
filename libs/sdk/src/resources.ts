import type { QuarryEvent } from './events.js';
import { Pages } from './pages.js';
import {
  pathOf,
  Resource,
  type FollowOptions,
  type FreshOptions,
  type SpendOptions,
  type WaitOptions,
} from './resource.js';
import type { CallOptions } from './transport.js';
import type * as Api from './types.gen.js';

type BodyOf<Data> = Data extends { body: infer Body } ? Body : never;
type QueryOf<Data extends { query?: unknown }> = NonNullable<Data['query']>;
export type EventQuery = QueryOf<Api.ListEventsData>;
export type ExclusionKind = Api.ListExclusionsData['path']['kind'];

/** What Quarry understands of a prompt, and what a run of it would cost; plans are free. */
export class Plans extends Resource {
  /** Plans a prompt, or corrects the intent of a plan. */
  create(body: Api.CreatePlanRequest, options?: CallOptions): Promise<Api.Plan> {
    return this.make('/v1/plans', body, options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Plan> {
    return this.read(pathOf`/v1/plans/${id}`, options);
  }

  /** Reads the JSON Schema of an intent. */
  getSchema(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.read('/v1/plans/schema', options);
  }

  /** Runs a plan as it is, which is the consent to its price. */
  run(id: string, body: Api.CreateRunOfPlanRequest = {}, options?: SpendOptions): Promise<Api.Run> {
    return this.make(pathOf`/v1/plans/${id}/runs`, body, options);
  }
}

/** Prompts at work, and what came of them. */
export class Runs extends Resource {
  /** Starts a prompt. {@link wait} for its end, or {@link followEvents}. */
  create(body: Api.CreateRunRequest, options?: SpendOptions): Promise<Api.Run> {
    return this.make('/v1/runs', body, options);
  }

  list(query?: QueryOf<Api.ListRunsData>, options?: CallOptions): Pages<Api.Run, Api.RunPage> {
    return this.pages('/v1/runs', query, options);
  }

  get(id: string, options?: WaitOptions): Promise<Api.Run> {
    return this.read(pathOf`/v1/runs/${id}`, options);
  }

  /** Returns the run when it has ended, whatever its end is. */
  wait(id: string, options?: CallOptions): Promise<Api.Run> {
    return this.waitFor(pathOf`/v1/runs/${id}`, options);
  }

  /** Follows what happens in a run until its end, over as many connections as it takes. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent> {
    return this.followAll(pathOf`/v1/runs/${id}/events`, options);
  }

  cancel(id: string, options?: CallOptions): Promise<Api.Run> {
    return this.change('POST', pathOf`/v1/runs/${id}/cancel`, options);
  }

  getSteps(id: string, options?: CallOptions): Promise<Api.RunSteps> {
    return this.read(pathOf`/v1/runs/${id}/steps`, options);
  }

  getOutput(id: string, options?: CallOptions): Promise<Api.RunOutput> {
    return this.read(pathOf`/v1/runs/${id}/output`, options);
  }

  /** Lists the rows of a published table. */
  listOutputRows(
    id: string,
    tableKey: string,
    query?: QueryOf<Api.ListFrozenRowsData>,
    options?: CallOptions,
  ): Pages<Api.Row, Api.RowPage> {
    return this.pages(pathOf`/v1/runs/${id}/output/tables/${tableKey}/rows`, query, options);
  }

  /** Makes a file of a published table. */
  createExport(id: string, body: Api.CreateExportRequest, options?: CallOptions): Promise<Api.Export> {
    return this.make(pathOf`/v1/runs/${id}/exports`, body, options);
  }
}

/** Workspaces, and the tables in them. */
export class Workspaces extends Resource {
  list(
    query?: QueryOf<Api.ListWorkspacesData>,
    options?: CallOptions,
  ): Pages<Api.Workspace, Api.WorkspacePage> {
    return this.pages('/v1/workspaces', query, options);
  }

  create(body: Api.CreateWorkspaceRequest, options?: CallOptions): Promise<Api.Workspace> {
    return this.make('/v1/workspaces', body, options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Workspace> {
    return this.read(pathOf`/v1/workspaces/${id}`, options);
  }

  archive(id: string, options?: CallOptions): Promise<void> {
    return this.change('DELETE', pathOf`/v1/workspaces/${id}`, options);
  }

  listTables(
    id: string,
    query?: QueryOf<Api.ListTablesData>,
    options?: CallOptions,
  ): Pages<Api.Table, Api.TablePage> {
    return this.pages(pathOf`/v1/workspaces/${id}/tables`, query, options);
  }

  importTable(id: string, body: Api.ImportTableRequest, options?: CallOptions): Promise<Api.Table> {
    return this.make(pathOf`/v1/workspaces/${id}/tables`, body, options);
  }

  /** @param file CSV or XLSX, with its `type` */
  importFile(
    id: string,
    file: Blob,
    { name, ...options }: CallOptions & { name?: string } = {},
  ): Promise<Api.Table> {
    return this.sendFile(id, file, { name }, options);
  }

  /** Says what an import of a file would make; nothing is kept. */
  previewFile(id: string, file: Blob, options?: CallOptions): Promise<Api.FilePreview> {
    return this.sendFile(id, file, { dry_run: 'true' }, options);
  }

  private sendFile<Answer>(
    id: string,
    body: Blob,
    query: QueryOf<Api.ImportFileData>,
    options?: CallOptions,
  ): Promise<Answer> {
    return this.make(pathOf`/v1/workspaces/${id}/files`, body, options, { query });
  }
}

/** Tables that change: rows, windows, views and columns. */
export class Tables extends Resource {
  /** Lists the tables of all workspaces, the newest first. */
  list(query?: QueryOf<Api.FindTablesData>, options?: CallOptions): Pages<Api.Table, Api.TablePage> {
    return this.pages('/v1/tables', query, options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Table> {
    return this.read(pathOf`/v1/tables/${id}`, options);
  }

  listRows(
    id: string,
    query?: QueryOf<Api.ListRowsData>,
    options?: CallOptions,
  ): Pages<Api.Row, Api.RowPage> {
    return this.pages(pathOf`/v1/tables/${id}/rows`, query, options);
  }

  getRow(id: string, rowId: string, options?: CallOptions): Promise<Api.Row> {
    return this.read(pathOf`/v1/tables/${id}/rows/${rowId}`, options);
  }

  /** Explains a cell: value, confidence, who was asked, cost. */
  getCell(id: string, rowId: string, key: string, options?: CallOptions): Promise<Api.CellDetails> {
    return this.read(pathOf`/v1/tables/${id}/rows/${rowId}/cells/${key}`, options);
  }

  /** Reads some rows from any place, which costs the same everywhere. */
  readWindow(
    id: string,
    query: QueryOf<Api.ReadWindowData>,
    options?: CallOptions,
  ): Promise<Api.TableWindow> {
    return this.read(pathOf`/v1/tables/${id}/window`, options, query);
  }

  /** Sorts and filters a table, to be read by windows. */
  createView(id: string, body: Api.CreateViewRequest, options?: CallOptions): Promise<Api.TableView> {
    return this.change('POST', pathOf`/v1/tables/${id}/views`, options, body);
  }

  /** Makes a file of the table as it is now. */
  createExport(id: string, body: Api.CreateTableExportRequest, options?: CallOptions): Promise<Api.Export> {
    return this.make(pathOf`/v1/tables/${id}/exports`, body, options);
  }

  /** Fills columns by a service. */
  enrich(
    id: string,
    body: Api.CreateEnrichmentRequest & { dry_run?: never },
    options?: FreshOptions,
  ): Promise<Api.Enrichment> {
    return this.make(pathOf`/v1/tables/${id}/enrichments`, body, options);
  }

  /** Says what {@link enrich} would do and cost; nothing is done. */
  estimateEnrichment(
    id: string,
    body: Api.CreateEnrichmentRequest,
    options?: CallOptions,
  ): Promise<Api.EnrichmentEstimate> {
    return this.change('POST', pathOf`/v1/tables/${id}/enrichments`, options, { ...body, dry_run: true });
  }
}

/** Columns that are filled by a service. */
export class Enrichments extends Resource {
  get(id: string, options?: WaitOptions): Promise<Api.Enrichment> {
    return this.read(pathOf`/v1/enrichments/${id}`, options);
  }

  wait(id: string, options?: CallOptions): Promise<Api.Enrichment> {
    return this.waitFor(pathOf`/v1/enrichments/${id}`, options);
  }

  cancel(id: string, options?: CallOptions): Promise<Api.Enrichment> {
    return this.change('POST', pathOf`/v1/enrichments/${id}/cancel`, options);
  }
}

/** Files of tables. */
export class Exports extends Resource {
  /** Makes a link that opens the file without a key until it expires. */
  createLink(
    id: string,
    body: Api.CreateExportLinkRequest = {},
    options?: CallOptions,
  ): Promise<Api.ExportLink> {
    return this.change('POST', pathOf`/v1/exports/${id}/links`, options, body);
  }

  /**
   * Downloads a file in pieces, in memory one at a time. Where the connection breaks, it goes on behind the last piece.
   * @throws ApiError
   */
  async *download(id: string, options?: CallOptions): AsyncGenerator<Uint8Array> {
    let from = 0;
    let etag: string | undefined;
    for (;;) {
      const headers = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': etag };
      const { response, pieces } = await this.transport.stream(
        { path: pathOf`/v1/exports/${id}`, headers },
        options,
      );
      // The same file always: an export does not change. What has come already is passed over where the rest cannot be had alone.
      let isOver = response.status === 206 ? 0 : from;
      etag ??= response.headers.get('etag') ?? undefined;
      try {
        for await (const piece of pieces) {
          const fresh = piece.subarray(Math.min(isOver, piece.length));
          isOver -= piece.length - fresh.length;
          from += fresh.length;
          if (fresh.length > 0) yield fresh;
        }
        return;
      } catch (error) {
        options?.signal?.throwIfAborted();
        if (from === 0 || etag === undefined) throw error;
      }
    }
  }
}

/** Companies and people that no run may return. */
export class Exclusions extends Resource {
  list(
    kind: ExclusionKind,
    query?: QueryOf<Api.ListExclusionsData>,
    options?: CallOptions,
  ): Pages<Api.ExclusionEntry, Api.ExclusionPage> {
    return this.pages(pathOf`/v1/exclusions/${kind}`, query, options);
  }

  add(
    kind: ExclusionKind,
    body: Api.ExclusionItemsRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsAdded> {
    return this.change('POST', pathOf`/v1/exclusions/${kind}`, options, body);
  }

  delete(
    kind: ExclusionKind,
    body: Api.ExclusionItemsRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsDeleted> {
    return this.change('POST', pathOf`/v1/exclusions/${kind}/delete`, options, body);
  }

  /** Makes the list what is sent: adds what is missing, deletes the rest. */
  sync(
    kind: ExclusionKind,
    body: Api.ExclusionSyncRequest,
    options?: CallOptions,
  ): Promise<Api.ExclusionsSynchronised> {
    return this.change('PUT', pathOf`/v1/exclusions/${kind}`, options, body);
  }

  /** Erases a person from every place. */
  erasePerson(body: Api.ErasureRequest, options?: CallOptions): Promise<Api.ErasureReceipt> {
    return this.make('/v1/erasures', body, options);
  }
}

/** Fast services by name: their input, and their answer with its cost. */
export interface FastServices {
  classifyText: [Api.ClassifyTextInput, Api.ClassifyTextAnswer];
  detectTech: [Api.DetectTechInput, Api.DetectTechAnswer];
  domainInfo: [Api.DomainInfoInput, Api.DomainInfoAnswer];
  enrichCompany: [Api.EnrichCompanyInput, Api.EnrichCompanyAnswer];
  enrichPerson: [Api.EnrichPersonInput, Api.EnrichPersonAnswer];
  extractData: [Api.ExtractDataInput, Api.ExtractDataAnswer];
  findDomain: [Api.FindDomainInput, Api.FindDomainAnswer];
  findEmailPattern: [Api.FindEmailPatternInput, Api.FindEmailPatternAnswer];
  findLinkedInUrl: [Api.FindLinkedInUrlInput, Api.FindLinkedInUrlAnswer];
  findSocials: [Api.FindSocialsInput, Api.FindSocialsAnswer];
  getJobPostings: [Api.GetJobPostingsInput, Api.GetJobPostingsAnswer];
  mapWebsite: [Api.MapWebsiteInput, Api.MapWebsiteAnswer];
  newsSearch: [Api.NewsSearchInput, Api.NewsSearchAnswer];
  scrapeUrl: [Api.ScrapeUrlInput, Api.ScrapeUrlAnswer];
  searchCompanies: [Api.SearchCompaniesInput, Api.SearchCompaniesAnswer];
  searchPeople: [Api.SearchPeopleInput, Api.SearchPeopleAnswer];
  validatePhone: [Api.ValidatePhoneInput, Api.ValidatePhoneAnswer];
  verifyEmail: [Api.VerifyEmailInput, Api.VerifyEmailAnswer];
  webSearch: [Api.WebSearchInput, Api.WebSearchAnswer];
}

/** The catalogue of services, and calls of the fast ones. */
export class Services extends Resource {
  list(
    query?: QueryOf<Api.ListServicesData>,
    options?: CallOptions,
  ): Pages<Api.ServiceSummary, Api.ServicePage> {
    return this.pages('/services', query, options);
  }

  get(name: string, options?: CallOptions): Promise<Api.Service> {
    return this.read(pathOf`/services/${name}`, options);
  }

  /**
   * Calls a fast service. Each answer is charged: without a key of the caller a call is repeated only where the server has not begun it.
   */
  call<Name extends keyof FastServices>(
    name: Name,
    input: FastServices[Name][0],
    options?: CallOptions,
  ): Promise<FastServices[Name][1]> {
    return this.make(pathOf`/services/${name}`, input, options, { repeatable: 'with own key' });
  }
}

/** Balance, prices and what was paid. */
export class Credits extends Resource {
  get(options?: CallOptions): Promise<Api.Balance> {
    return this.read('/credits', options);
  }

  /** Says what a batch would cost. */
  estimate(body: Api.EstimateRequest, options?: CallOptions): Promise<Api.Estimate> {
    return this.change('POST', '/credits/estimate', options, body);
  }

  listLedger(
    query?: QueryOf<Api.ListLedgerData>,
    options?: CallOptions,
  ): Pages<Api.LedgerEntry, Api.LedgerPage> {
    return this.pages('/credits/ledger', query, options);
  }

  /** Sums what was spent, by day, service, run or key. */
  getUsage(query?: QueryOf<Api.GetCreditUsageData>, options?: CallOptions): Promise<Api.CreditUsage> {
    return this.read('/credits/usage', options, query);
  }

  /** Reads the caps of the key and what is spent of them. */
  getLimits(options?: CallOptions): Promise<Api.SpendLimits> {
    return this.read('/v1/limits', options);
  }
}

/** Questions that are answered from the web, with quotes. */
export class Go extends Resource {
  /** Asks, and waits for the answer as long as the server holds the read; it goes on after that, see {@link wait}. */
  run(body: BodyOf<Api.RunGoData>, options?: CallOptions): Promise<Api.GoRun> {
    return this.make('/v1/go/run', body, { timeoutMs: 130_000, ...options });
  }

  create(body: Api.CreateGoRunRequest, options?: CallOptions): Promise<Api.GoRun> {
    return this.make('/v1/go/runs', body, options);
  }

  list(
    query?: QueryOf<Api.ListGoRunsData>,
    options?: CallOptions,
  ): Pages<Api.GoRunPage['items'][number], Api.GoRunPage> {
    return this.pages('/v1/go/runs', query, options);
  }

  get(id: string, options?: WaitOptions): Promise<Api.GoRun> {
    return this.read(pathOf`/v1/go/runs/${id}`, options);
  }

  wait(id: string, options?: CallOptions): Promise<Api.GoRun> {
    return this.waitFor(pathOf`/v1/go/runs/${id}`, options);
  }

  /** Follows a Go run until its end, over as many connections as it takes. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent> {
    return this.followAll(pathOf`/v1/go/runs/${id}/events`, options);
  }

  cancel(id: string, options?: CallOptions): Promise<Api.GoRun> {
    return this.change('POST', pathOf`/v1/go/runs/${id}/cancel`, options);
  }
}

/** What has happened, and what happens. */
export class Events extends Resource {
  /** Lists events of the organisation, the oldest that is kept first. */
  list(
    { types, ...query }: EventQuery = {},
    options?: CallOptions,
  ): Pages<QuarryEvent, { items: QuarryEvent[]; next_cursor: string | null }> {
    return new Pages(({ cursor }) =>
      this.read('/v1/events', options, { ...query, types: types?.join(), after: cursor ?? query.after }),
    );
  }

  /** Follows all that happens, from now on or behind an event, until the signal fires. */
  follow(options?: FollowOptions & Pick<EventQuery, 'types'>): AsyncGenerator<QuarryEvent> {
    return this.followAll('/v1/events', options, { types: options?.types?.join() });
  }
}

/** Who answers services, and an organisation's own keys there. */
export class Providers extends Resource {
  list(options?: CallOptions): Promise<Api.ProviderList> {
    return this.read('/v1/providers', options);
  }

  set(id: string, body: Api.ProviderChangeRequest, options?: CallOptions): Promise<Api.Provider> {
    return this.change('PUT', pathOf`/v1/providers/${id}`, options, body);
  }

  delete(id: string, options?: CallOptions): Promise<Api.Provider> {
    return this.change('DELETE', pathOf`/v1/providers/${id}`, options);
  }
}

/** Plans on a schedule, which report what is new. */
export class Monitors extends Resource {
  create(body: Api.CreateMonitorRequest, options?: CallOptions): Promise<Api.Monitor> {
    return this.make('/v1/monitors', body, options);
  }

  list(options?: CallOptions): Promise<Api.MonitorList> {
    return this.read('/v1/monitors', options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Monitor> {
    return this.read(pathOf`/v1/monitors/${id}`, options);
  }

  update(id: string, body: Api.ChangeMonitorRequest, options?: CallOptions): Promise<Api.Monitor> {
    return this.change('PATCH', pathOf`/v1/monitors/${id}`, options, body);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.change('DELETE', pathOf`/v1/monitors/${id}`, options);
  }

  pause(id: string, options?: CallOptions): Promise<Api.Monitor> {
    return this.change('POST', pathOf`/v1/monitors/${id}/pause`, options);
  }

  /** Lets a paused monitor go on from its next date. */
  resume(id: string, options?: CallOptions): Promise<Api.Monitor> {
    return this.change('POST', pathOf`/v1/monitors/${id}/resume`, options);
  }

  /** Runs a monitor now, beside its schedule. */
  trigger(id: string, options?: CallOptions): Promise<Api.MonitorRun> {
    return this.make(pathOf`/v1/monitors/${id}/trigger`, undefined, options);
  }

  listRuns(
    id: string,
    query?: QueryOf<Api.ListMonitorRunsData>,
    options?: CallOptions,
  ): Pages<Api.MonitorRun, Api.MonitorRunPage> {
    return this.pages(pathOf`/v1/monitors/${id}/runs`, query, options);
  }

  /** Lists what a monitor has reported, over all of its runs. */
  listItems(
    id: string,
    query?: QueryOf<Api.ListMonitorItemsData>,
    options?: CallOptions,
  ): Pages<Api.MonitorItem, Api.MonitorItemPage> {
    return this.pages(pathOf`/v1/monitors/${id}/items`, query, options);
  }
}

/** Where events are sent to, and what became of each. */
export class Webhooks extends Resource {
  /** Has events sent to an address. The answer has the secret, which is not shown again. */
  create(body: Api.CreateWebhookRequest, options?: CallOptions): Promise<Api.WebhookWithSecret> {
    return this.make('/v1/webhooks', body, options);
  }

  list(options?: CallOptions): Promise<Api.WebhookList> {
    return this.read('/v1/webhooks', options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Webhook> {
    return this.read(pathOf`/v1/webhooks/${id}`, options);
  }

  update(id: string, body: Api.ChangeWebhookRequest, options?: CallOptions): Promise<Api.Webhook> {
    return this.change('PATCH', pathOf`/v1/webhooks/${id}`, options, body);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.change('DELETE', pathOf`/v1/webhooks/${id}`, options);
  }

  /** Gives a webhook a new secret; the one of before stays good for some hours, 24 by default. */
  rotate(
    id: string,
    body: Api.RotateWebhookRequest = {},
    options?: CallOptions,
  ): Promise<Api.WebhookWithSecret> {
    return this.once(pathOf`/v1/webhooks/${id}/rotate`, options, body);
  }

  /** Sends a test to a webhook. */
  test(id: string, options?: CallOptions): Promise<Api.WebhookDelivery> {
    return this.once(pathOf`/v1/webhooks/${id}/test`, options);
  }

  listDeliveries(
    id: string,
    query?: QueryOf<Api.ListWebhookDeliveriesData>,
    options?: CallOptions,
  ): Pages<Api.WebhookDelivery, Api.WebhookDeliveryPage> {
    return this.pages(pathOf`/v1/webhooks/${id}/deliveries`, query, options);
  }

  /** Sends an event again. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Api.WebhookDelivery> {
    return this.once(pathOf`/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`, options);
  }

  /** Sends what happened within a time again, or for the first time. */
  replay(id: string, body: Api.ReplayWebhookRequest, options?: CallOptions): Promise<Api.WebhookReplay> {
    return this.once(pathOf`/v1/webhooks/${id}/replay`, options, body);
  }
}

/** Where rows of tables are pushed to. */
export class Destinations extends Resource {
  create(body: Api.CreateDestinationRequest, options?: CallOptions): Promise<Api.Destination> {
    return this.make('/v1/destinations', body, options);
  }

  list(options?: CallOptions): Promise<Api.DestinationList> {
    return this.read('/v1/destinations', options);
  }

  get(id: string, options?: CallOptions): Promise<Api.Destination> {
    return this.read(pathOf`/v1/destinations/${id}`, options);
  }

  update(id: string, body: Api.ChangeDestinationRequest, options?: CallOptions): Promise<Api.Destination> {
    return this.change('PATCH', pathOf`/v1/destinations/${id}`, options, body);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.change('DELETE', pathOf`/v1/destinations/${id}`, options);
  }

  /** Says what a push would do now, and sends nothing. */
  preview(id: string, body: Api.PushRequest, options?: CallOptions): Promise<Api.PushPreview> {
    return this.once(pathOf`/v1/destinations/${id}/preview`, options, body);
  }

  /** Begins a push; {@link getPush} says how far it has come. */
  push(id: string, body: Api.PushRequest, options?: CallOptions): Promise<Api.Push> {
    return this.make(pathOf`/v1/destinations/${id}/pushes`, body, options);
  }

  listPushes(
    id: string,
    query?: QueryOf<Api.ListPushesData>,
    options?: CallOptions,
  ): Pages<Api.Push, Api.PushPage> {
    return this.pages(pathOf`/v1/destinations/${id}/pushes`, query, options);
  }

  getPush(id: string, pushId: string, options?: CallOptions): Promise<Api.Push> {
    return this.read(pathOf`/v1/destinations/${id}/pushes/${pushId}`, options);
  }

  /** Lists the rows that were refused. */
  listFailures(
    id: string,
    pushId: string,
    query?: QueryOf<Api.ListPushFailuresData>,
    options?: CallOptions,
  ): Pages<Api.PushFailure, Api.PushFailurePage> {
    return this.pages(pathOf`/v1/destinations/${id}/pushes/${pushId}/failures`, query, options);
  }
}
