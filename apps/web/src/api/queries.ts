import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { callApi, callApp } from './http';
import { pollEvery } from './live';
import { currentMode } from './mode';
import { queryClient } from './query-client';
import type * as resource from './resources';

/** Each mode has its own cache entries, so that switching never shows data of the other one. */
const key = (...parts: readonly unknown[]) => [currentMode(), ...parts];
/** A cursor as a further query parameter; nothing for the first page. */
const after = (cursor: string | null) => (cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`);
const get =
  <Answer>(path: string) =>
  ({ signal }: { signal: AbortSignal }) =>
    callApi<Answer>(path, { signal });

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => callApp<resource.Session>('/session', { signal }),
  staleTime: 60_000,
  retry: false,
});

export const ACTIVE_RUN: ReadonlySet<resource.RunStatus> = new Set(['queued', 'running', 'recovering']);
const POLL_MS = 1_000;

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: key('run', id),
    queryFn: get<resource.Run>(`/v1/runs/${id}`),
    refetchInterval: ({ state }) =>
      !state.data || ACTIVE_RUN.has(state.data.status) ? pollEvery(POLL_MS) : false,
  });

export const runStepsQuery = (id: string, isActive: boolean) =>
  queryOptions({
    // A run that has ended is read once more, because its cost is known only then.
    queryKey: key('steps', id, isActive),
    queryFn: get<resource.RunSteps>(`/v1/runs/${id}/steps`),
    refetchInterval: () => (isActive ? pollEvery(POLL_MS) : false),
  });

export const conversationRunsQuery = (conversationId: string) =>
  queryOptions({
    queryKey: key('conversation', conversationId),
    queryFn: get<resource.OffsetPage<resource.Run>>(`/v1/runs?conversation_id=${conversationId}&limit=100`),
  });

export const runsQuery = (offset: number, limit = 25) =>
  queryOptions({
    queryKey: key('runs', offset, limit),
    queryFn: get<resource.OffsetPage<resource.Run>>(`/v1/runs?limit=${limit}&offset=${offset}`),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => ACTIVE_RUN.has(status)) ? pollEvery(2 * POLL_MS) : false,
  });

/** Query of an existing plan. */
export const planQuery = (id: string) =>
  queryOptions({
    queryKey: key('plan', id),
    queryFn: get<resource.Plan>(`/v1/plans/${id}`),
    staleTime: Infinity,
    enabled: id !== '',
  });

/** Names of workspaces, as many as one page has. */
export const workspacesQuery = () =>
  queryOptions({
    queryKey: key('workspaces'),
    queryFn: get<resource.OffsetPage<resource.Workspace>>('/v1/workspaces?limit=1000'),
  });

export const workspaceQuery = (id: string) =>
  queryOptions({ queryKey: key('workspaces', id), queryFn: get<resource.Workspace>(`/v1/workspaces/${id}`) });

/** The newest tables of a workspace, as many as one page has. */
export const workspaceTablesQuery = (id: string) =>
  queryOptions({
    queryKey: key('tables', 'of', id),
    queryFn: get<resource.OffsetPage<resource.Table>>(`/v1/workspaces/${id}/tables?limit=1000`),
  });

export const workspaceRunsQuery = (id: string) =>
  queryOptions({
    queryKey: key('runs', 'of', id),
    queryFn: get<resource.OffsetPage<resource.Run>>(`/v1/runs?workspace_id=${id}&limit=25`),
  });

export const tablesQuery = (offset: number, limit: number) =>
  queryOptions({
    queryKey: key('tables', offset),
    queryFn: get<resource.OffsetPage<resource.Table>>(`/v1/tables?limit=${limit}&offset=${offset}`),
    placeholderData: keepPreviousData,
  });

export const tableQuery = (id: string, isLive = false) =>
  queryOptions({
    queryKey: key('table', id),
    queryFn: get<resource.Table>(`/v1/tables/${id}`),
    refetchInterval: () => (isLive ? pollEvery(POLL_MS) : false),
  });

/**
 * Query of the first row of a table. The number of columns is part of the key, because a new column may be one that a service
 * fills.
 */
export const firstRowQuery = (id: string, columns: number) =>
  queryOptions({
    queryKey: key('first-row', id, columns),
    queryFn: get<resource.RowWindow>(`/v1/tables/${id}/window?from=0&count=1`),
  });

export const rowQuery = (tableId: string, rowId: string) =>
  queryOptions({
    queryKey: key('row', tableId, rowId),
    queryFn: get<resource.Row>(`/v1/tables/${tableId}/rows/${rowId}`),
    staleTime: 60_000,
  });

export const servicesQuery = () =>
  queryOptions({
    queryKey: key('services'),
    queryFn: get<resource.OffsetPage<resource.ServiceSummary>>('/services?limit=100'),
    staleTime: 60_000,
  });

/** @returns a function that gives the title of a service, or its name until the catalogue is loaded */
export function useServiceTitle(): (name: string) => string {
  const { data } = useQuery(servicesQuery());
  return (name) => data?.items.find((each) => each.name === name)?.title ?? name;
}

export const usageQuery = (by: 'day' | 'service' | 'run' | 'key') =>
  queryOptions({
    queryKey: key('usage', by),
    queryFn: get<resource.CreditUsage>(`/credits/usage?by=${by}&days=30`),
  });

export const serviceQuery = (name: string) =>
  queryOptions({
    queryKey: key('service', name),
    queryFn: get<resource.Service>(`/services/${encodeURIComponent(name)}`),
    staleTime: 60_000,
  });

export const balanceQuery = () =>
  queryOptions({
    queryKey: key('balance'),
    queryFn: get<resource.Balance>('/credits'),
    refetchInterval: () => pollEvery(15_000),
  });

export const limitsQuery = () =>
  queryOptions({ queryKey: key('limits'), queryFn: get<resource.SpendLimits>('/v1/limits') });

export const jobsQuery = (offset: number, limit = 100) =>
  queryOptions({
    queryKey: key('jobs', offset, limit),
    queryFn: get<resource.OffsetPage<resource.Job>>(`/v1/services/jobs?limit=${limit}&offset=${offset}`),
  });

export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: key('batch', id),
    queryFn: get<resource.Batch>(`/v1/services/jobs/batch/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : pollEvery(POLL_MS)),
  });

const GO_PAGE = 20;

export const goRunsQuery = (offset: number) =>
  queryOptions({
    queryKey: key('go', offset),
    queryFn: get<resource.OffsetPage<resource.GoRun>>(`/v1/go/runs?limit=${GO_PAGE}&offset=${offset}`),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ completed_at }) => completed_at === null) ? pollEvery(POLL_MS) : false,
  });

/** Query of the questions of the Go runs on a page that begins with the given run. */
export const goQuestionsQuery = (newestId: string, offset: number) =>
  queryOptions({
    queryKey: key('go-questions', newestId, offset),
    queryFn: get<resource.OffsetPage<resource.GoQuestion>>(`/go/questions?limit=${GO_PAGE}&offset=${offset}`),
    placeholderData: keepPreviousData,
  });

export const providersQuery = () =>
  queryOptions({
    queryKey: ['providers'],
    queryFn: get<{ items: readonly resource.Provider[] }>('/v1/providers'),
  });

export const ledgerQuery = (cursor: string | null, service: string) =>
  queryOptions({
    queryKey: key('ledger', cursor, service),
    queryFn: get<resource.CursorPage<resource.LedgerEntry>>(
      `/credits/ledger?limit=200${after(cursor)}${service ? `&service=${encodeURIComponent(service)}` : ''}`,
    ),
  });

export const exclusionsQuery = (kind: resource.ExclusionKind, offset: number) =>
  queryOptions({
    queryKey: key('exclusions', kind, offset),
    queryFn: get<resource.OffsetPage<resource.ExclusionEntry>>(
      `/v1/exclusions/${kind}?limit=100&offset=${offset}`,
    ),
  });

export const webhooksQuery = () =>
  queryOptions({ queryKey: key('webhooks'), queryFn: get<resource.WebhookList>('/v1/webhooks') });

export const webhookDeliveriesQuery = (id: string, cursor: string | null) =>
  queryOptions({
    queryKey: key('deliveries', id, cursor),
    queryFn: get<resource.CursorPage<resource.WebhookDelivery>>(
      `/v1/webhooks/${id}/deliveries?limit=50${after(cursor)}`,
    ),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'pending') ? POLL_MS : false,
  });

export const destinationsQuery = () =>
  queryOptions({
    queryKey: key('destinations'),
    queryFn: get<resource.DestinationList>('/v1/destinations'),
  });

export const isPushOver = ({ status }: resource.Push) => status === 'completed' || status === 'failed';

/** Polls, because the stream does not report pushes. */
export const pushesQuery = (destinationId: string, cursor: string | null = null) =>
  queryOptions({
    queryKey: key('pushes', destinationId, cursor),
    queryFn: get<resource.CursorPage<resource.Push>>(
      `/v1/destinations/${destinationId}/pushes?limit=50${after(cursor)}`,
    ),
    refetchInterval: ({ state }) => (state.data?.items.some((push) => !isPushOver(push)) ? POLL_MS : false),
  });

export const pushQuery = (destinationId: string, pushId: string) =>
  queryOptions({
    queryKey: key('push', pushId),
    queryFn: get<resource.Push>(`/v1/destinations/${destinationId}/pushes/${pushId}`),
  });

export const pushFailuresQuery = (destinationId: string, pushId: string, cursor: string | null) =>
  queryOptions({
    queryKey: key('push-failures', pushId, cursor),
    queryFn: get<resource.CursorPage<resource.PushFailure>>(
      `/v1/destinations/${destinationId}/pushes/${pushId}/failures?limit=200${after(cursor)}`,
    ),
  });

/** Query of a push preview. It is never cached, because lists and rows change. */
export const pushPreviewQuery = (destinationId: string, body: { table_id: string; view?: string }) =>
  queryOptions({
    queryKey: key('push-preview', destinationId, body),
    queryFn: ({ signal }) =>
      callApi<resource.PushPreview>(`/v1/destinations/${destinationId}/preview`, {
        method: 'POST',
        body,
        signal,
      }),
    enabled: destinationId !== '',
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Polls, because the stream does not report monitors. */
export const monitorsQuery = () =>
  queryOptions({
    queryKey: key('monitors'),
    queryFn: get<resource.MonitorList>('/v1/monitors'),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ last_run: run }) => run?.status === 'working') ? POLL_MS : false,
  });

/**
 * The table of the first row that a monitor has reported, which has the columns of all its runs; null when nothing was reported.
 */
export const monitorTableQuery = (id: string) =>
  queryOptions({
    queryKey: key('monitor-table', id),
    queryFn: async (context) => {
      const path = `/v1/monitors/${id}/items?limit=1`;
      const { items } = await get<resource.CursorPage<resource.MonitorItem>>(path)(context);
      return items[0] ? get<resource.Table>(`/v1/tables/${items[0].table_id}`)(context) : null;
    },
  });

export const monitorRunsQuery = (id: string, cursor: string | null) =>
  queryOptions({
    queryKey: key('monitor-runs', id, cursor),
    queryFn: get<resource.CursorPage<resource.MonitorRun>>(
      `/v1/monitors/${id}/runs?limit=50${after(cursor)}`,
    ),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'working') ? POLL_MS : false,
  });

/** Polls, because the stream does not report outreach. */
const OUTREACH_POLL_MS = 3 * POLL_MS;

export const mailboxesQuery = () =>
  queryOptions({
    queryKey: key('mailboxes'),
    queryFn: get<resource.CursorPage<resource.Mailbox>>('/v1/mailboxes?limit=1000'),
  });

export const sequencesQuery = (cursor: string | null = null) =>
  queryOptions({
    queryKey: key('sequences', cursor),
    queryFn: get<resource.CursorPage<resource.SequenceSummary>>(`/v1/sequences?limit=200${after(cursor)}`),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'active') ? OUTREACH_POLL_MS : false,
  });

export const sequenceQuery = (id: string) =>
  queryOptions({
    queryKey: key('sequence', id),
    queryFn: get<resource.Sequence>(`/v1/sequences/${id}`),
    // Another person may approve it.
    refetchInterval: ({ state }) =>
      state.data?.status === 'active' || state.data?.approval?.status === 'pending'
        ? OUTREACH_POLL_MS
        : false,
  });

export const enrollmentsQuery = (id: string, isChanging: boolean, cursor: string | null = null) =>
  queryOptions({
    queryKey: key('enrollments', id, cursor),
    queryFn: get<resource.CursorPage<resource.Enrollment>>(
      `/v1/sequences/${id}/enrollments?limit=200${after(cursor)}`,
    ),
    refetchInterval: isChanging ? OUTREACH_POLL_MS : false,
  });

/** Query of the messages that a version would send. */
export const previewQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: key('preview', id, version),
    queryFn: ({ signal }) =>
      callApi<resource.SequencePreview>(`/v1/sequences/${id}/preview`, { method: 'POST', body: {}, signal }),
  });

export const sequenceStatsQuery = (id: string, isChanging: boolean) =>
  queryOptions({
    queryKey: key('sequence-stats', id),
    queryFn: get<resource.SequenceStats>(`/v1/sequences/${id}/stats`),
    refetchInterval: isChanging ? OUTREACH_POLL_MS : false,
  });

export const approvalsQuery = (cursor: string | null) =>
  queryOptions({
    queryKey: key('approvals', cursor),
    queryFn: get<resource.CursorPage<resource.Approval>>(`/approvals?limit=100${after(cursor)}`),
    refetchInterval: OUTREACH_POLL_MS,
  });

export const approvalQuery = (id: string) =>
  queryOptions({ queryKey: key('approval', id), queryFn: get<resource.ApprovalDetails>(`/approvals/${id}`) });

export const threadsQuery = (filter: { unread: boolean; replies: boolean; text: string }, limit: number) =>
  queryOptions({
    queryKey: key('threads', filter, limit),
    queryFn: get<resource.CursorPage<resource.Thread>>(
      `/v1/inbox/threads?limit=${limit}${filter.unread ? '&unread=true' : ''}${filter.replies ? '&kind=reply' : ''}${filter.text ? `&query=${encodeURIComponent(filter.text)}` : ''}`,
    ),
    placeholderData: keepPreviousData,
    refetchInterval: OUTREACH_POLL_MS,
  });

export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: key('thread', id),
    queryFn: get<resource.ThreadMessages>(`/v1/inbox/threads/${id}?limit=200`),
    refetchInterval: OUTREACH_POLL_MS,
  });

export const suppressionsQuery = (text: string, cursor: string | null) =>
  queryOptions({
    queryKey: key('suppressions', text, cursor),
    queryFn: get<resource.CursorPage<resource.Suppression>>(
      `/v1/suppressions?limit=200${after(cursor)}${text ? `&query=${encodeURIComponent(text)}` : ''}`,
    ),
    placeholderData: keepPreviousData,
  });

export const appListQuery = <Item>(name: string) =>
  queryOptions({
    queryKey: ['app', name],
    queryFn: ({ signal }) => callApp<resource.CursorPage<Item>>(`/${name}`, { signal }),
  });

/** Invalidates all queries of the current mode whose key begins with one of the names. */
export function refreshQueries(...names: readonly string[]): void {
  for (const name of names) {
    void queryClient.invalidateQueries({ queryKey: key(name) });
    void queryClient.invalidateQueries({ queryKey: [name] });
  }
}
