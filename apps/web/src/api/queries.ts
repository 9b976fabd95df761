import { keepPreviousData, queryOptions, useQuery, type UseQueryOptions } from '@tanstack/react-query';
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

/**
 * Query of a path. Its key is the name, which {@link refreshQueries} uses, with further parts that tell it from others of that name,
 * and the path.
 */
const read = <Answer>(
  name: string | readonly unknown[],
  path: string,
  options: Omit<UseQueryOptions<Answer>, 'queryKey' | 'queryFn'> = {},
) => queryOptions({ ...options, queryKey: key(...[name].flat(), path), queryFn: get<Answer>(path) });

/** Reads the answer of a query from the server, whether or not it was read just now. */
export const readAgain = <Answer>(query: ReturnType<typeof read<Answer>>) =>
  queryClient.fetchQuery({ ...query, staleTime: 0 });

const POLL_MS = 1_000;

/** Polls a list while one of its items is still changing. */
const pollWhile =
  <Item>(isChanging: (item: Item) => boolean, every = () => POLL_MS) =>
  ({ state }: { state: { data: { items: readonly Item[] } | undefined } }) =>
    state.data?.items.some(isChanging) ? every() : false;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => callApp<resource.Session>('/session', { signal }),
  staleTime: 60_000,
  retry: false,
});

export const ACTIVE_RUN: ReadonlySet<resource.RunStatus> = new Set(['queued', 'running', 'recovering']);

export const runQuery = (id: string) =>
  read<resource.Run>(['run', id], `/v1/runs/${id}`, {
    refetchInterval: ({ state }) =>
      !state.data || ACTIVE_RUN.has(state.data.status) ? pollEvery(POLL_MS) : false,
  });

export const runStepsQuery = (id: string, isActive: boolean) =>
  read<resource.RunSteps>(
    // A run that has ended is read once more, because its cost is known only then.
    ['steps', id, isActive],
    `/v1/runs/${id}/steps`,
    { refetchInterval: () => (isActive ? pollEvery(POLL_MS) : false) },
  );

/** Query of the prompt of a run in a list: it never changes, unlike its costs, which each charge refreshes. */
export const promptQuery = (id: string) =>
  read<resource.RunSteps>(['prompt', id], `/v1/runs/${id}/steps`, { staleTime: 60_000 });

export const conversationRunsQuery = (conversationId: string) =>
  read<resource.OffsetPage<resource.Run>>(
    'conversation',
    `/v1/runs?conversation_id=${conversationId}&limit=100`,
  );

export const runsQuery = (offset: number, limit = 25) =>
  read<resource.OffsetPage<resource.Run>>('runs', `/v1/runs?limit=${limit}&offset=${offset}`, {
    refetchInterval: pollWhile(
      ({ status }) => ACTIVE_RUN.has(status),
      () => pollEvery(2 * POLL_MS),
    ),
  });

/** Query of an existing plan. */
export const planQuery = (id: string) =>
  read<resource.Plan>('plan', `/v1/plans/${id}`, { staleTime: Infinity, enabled: id !== '' });

/** Names of workspaces, as many as one page has. */
export const workspacesQuery = () =>
  read<resource.OffsetPage<resource.Workspace>>('workspaces', '/v1/workspaces?limit=1000');

export const workspaceQuery = (id: string) => read<resource.Workspace>('workspaces', `/v1/workspaces/${id}`);

/** The newest tables of a workspace, as many as one page has. */
export const workspaceTablesQuery = (id: string) =>
  read<resource.OffsetPage<resource.Table>>('tables', `/v1/workspaces/${id}/tables?limit=1000`);

export const workspaceRunsQuery = (id: string, offset: number) =>
  read<resource.OffsetPage<resource.Run>>('runs', `/v1/runs?workspace_id=${id}&limit=25&offset=${offset}`, {
    placeholderData: keepPreviousData,
  });

export const tablesQuery = (offset: number, limit: number, text = '') =>
  read<resource.OffsetPage<resource.Table>>(
    'tables',
    `/v1/tables?limit=${limit}&offset=${offset}${text ? `&q=${encodeURIComponent(text)}` : ''}`,
    { placeholderData: keepPreviousData },
  );

export const tableQuery = (id: string, isLive = false) =>
  read<resource.Table>(['table', id], `/v1/tables/${id}`, {
    refetchInterval: () => (isLive ? pollEvery(POLL_MS) : false),
  });

export const enrichmentQuery = (id: string) =>
  read<resource.Enrichment>(['enrichment', id], `/v1/enrichments/${id}`);

/**
 * Query of the first row of a table. The number of columns is part of the key, because a new column may be one that a service
 * fills.
 */
export const firstRowQuery = (id: string, columns: number) =>
  read<resource.RowWindow>(['first-row', columns], `/v1/tables/${id}/window?from=0&count=1`);

/** Query of a column with its cost, which each lookup changes: it is read whenever it is shown. */
export const columnQuery = (tableId: string, columnKey: string) =>
  read<resource.ColumnDetails>('column', `/v1/tables/${tableId}/columns/${encodeURIComponent(columnKey)}`, {
    staleTime: 0,
    gcTime: 0,
  });

export const rowQuery = (tableId: string, rowId: string) =>
  read<resource.Row>('row', `/v1/tables/${tableId}/rows/${rowId}`, { staleTime: 60_000 });

export const servicesQuery = () =>
  read<resource.OffsetPage<resource.ServiceSummary>>('services', '/services?limit=100', {
    staleTime: 60_000,
  });

/** @returns a function that gives the title of a service, or its name until the catalogue is loaded */
export function useServiceTitle(): (name: string) => string {
  const { data } = useQuery(servicesQuery());
  return (name) => data?.items.find((each) => each.name === name)?.title ?? name;
}

export const usageQuery = (by: 'day' | 'service' | 'run' | 'key') =>
  read<resource.CreditUsage>('usage', `/credits/usage?by=${by}&days=30`);

export const serviceQuery = (name: string) =>
  read<resource.Service>('service', `/services/${encodeURIComponent(name)}`, { staleTime: 60_000 });

export const balanceQuery = () =>
  read<resource.Balance>('balance', '/credits', { refetchInterval: () => pollEvery(15_000) });

export const limitsQuery = () => read<resource.SpendLimits>('limits', '/v1/limits');

export const jobsQuery = (offset: number, limit = 100) =>
  read<resource.OffsetPage<resource.Job>>('jobs', `/v1/services/jobs?limit=${limit}&offset=${offset}`);

export const batchQuery = (id: string) =>
  read<resource.Batch>(['batch', id], `/v1/services/jobs/batch/${id}`, {
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : pollEvery(POLL_MS)),
  });

const GO_PAGE = 20;

export const goRunsQuery = (offset: number) =>
  read<resource.OffsetPage<resource.GoRun>>('go', `/v1/go/runs?limit=${GO_PAGE}&offset=${offset}`, {
    refetchInterval: pollWhile(
      ({ completed_at: end }) => end === null,
      () => pollEvery(POLL_MS),
    ),
  });

/** Query of the questions of the Go runs on a page that begins with the given run. */
export const goQuestionsQuery = (newestId: string, offset: number) =>
  read<resource.OffsetPage<resource.GoQuestion>>(
    ['go-questions', newestId],
    `/go/questions?limit=${GO_PAGE}&offset=${offset}`,
    { placeholderData: keepPreviousData },
  );

export const providersQuery = () =>
  read<{ items: readonly resource.Provider[] }>('providers', '/v1/providers');

export const ledgerQuery = (cursor: string | null, service: string) =>
  read<resource.CursorPage<resource.LedgerEntry>>(
    'ledger',
    `/credits/ledger?limit=200${after(cursor)}${service ? `&service=${encodeURIComponent(service)}` : ''}`,
  );

export const exclusionsQuery = (kind: resource.ExclusionKind, offset: number) =>
  read<resource.OffsetPage<resource.ExclusionEntry>>(
    'exclusions',
    `/v1/exclusions/${kind}?limit=100&offset=${offset}`,
  );

export const webhooksQuery = () => read<resource.WebhookList>('webhooks', '/v1/webhooks');

export const webhookDeliveriesQuery = (id: string, cursor: string | null) =>
  read<resource.CursorPage<resource.WebhookDelivery>>(
    'deliveries',
    `/v1/webhooks/${id}/deliveries?limit=50${after(cursor)}`,
    { refetchInterval: pollWhile(({ status }) => status === 'pending') },
  );

export const destinationsQuery = () => read<resource.DestinationList>('destinations', '/v1/destinations');

export const isPushOver = ({ status }: resource.Push) => status === 'completed' || status === 'failed';

/** Polls, because the stream does not report pushes. */
export const pushesQuery = (destinationId: string, cursor: string | null = null) =>
  read<resource.CursorPage<resource.Push>>(
    'pushes',
    `/v1/destinations/${destinationId}/pushes?limit=50${after(cursor)}`,
    { refetchInterval: pollWhile((push) => !isPushOver(push)) },
  );

export const pushQuery = (destinationId: string, pushId: string) =>
  read<resource.Push>('push', `/v1/destinations/${destinationId}/pushes/${pushId}`);

export const pushFailuresQuery = (destinationId: string, pushId: string, cursor: string | null) =>
  read<resource.CursorPage<resource.PushFailure>>(
    'push-failures',
    `/v1/destinations/${destinationId}/pushes/${pushId}/failures?limit=200${after(cursor)}`,
  );

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
  read<resource.MonitorList>('monitors', '/v1/monitors', {
    refetchInterval: pollWhile(({ last_run: run }) => run?.status === 'working'),
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
  read<resource.CursorPage<resource.MonitorRun>>(
    'monitor-runs',
    `/v1/monitors/${id}/runs?limit=50${after(cursor)}`,
    { refetchInterval: pollWhile(({ status }) => status === 'working') },
  );

/** Polls, because the stream does not report outreach. */
const OUTREACH_POLL_MS = 3 * POLL_MS;

export const mailboxesQuery = () =>
  read<resource.CursorPage<resource.Mailbox>>('mailboxes', '/v1/mailboxes?limit=1000');

export const sequencesQuery = (cursor: string | null = null) =>
  read<resource.CursorPage<resource.SequenceSummary>>(
    'sequences',
    `/v1/sequences?limit=200${after(cursor)}`,
    {
      refetchInterval: pollWhile(
        ({ status }) => status === 'active',
        () => OUTREACH_POLL_MS,
      ),
    },
  );

/** Query of whether any sequence sends: counting the people of all of them takes longer. */
export const sendingSequenceQuery = () =>
  read<resource.CursorPage<resource.SequenceSummary>>('sequences', '/v1/sequences?status=active&limit=1');

export const sequenceQuery = (id: string) =>
  read<resource.Sequence>('sequence', `/v1/sequences/${id}`, {
    // Another person may approve it.
    refetchInterval: ({ state }) =>
      state.data?.status === 'active' || state.data?.approval?.status === 'pending'
        ? OUTREACH_POLL_MS
        : false,
  });

export const enrollmentsQuery = (
  id: string,
  isChanging: boolean,
  cursor: string | null = null,
  status = '',
) =>
  read<resource.CursorPage<resource.Enrollment>>(
    'enrollments',
    `/v1/sequences/${id}/enrollments?limit=200${after(cursor)}${status ? `&status=${status}` : ''}`,
    { refetchInterval: isChanging ? OUTREACH_POLL_MS : false, placeholderData: keepPreviousData },
  );

/** Query of the messages that a version would send. */
export const previewQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: key('preview', id, version),
    queryFn: ({ signal }) =>
      callApi<resource.SequencePreview>(`/v1/sequences/${id}/preview`, { method: 'POST', body: {}, signal }),
  });

export const sequenceStatsQuery = (id: string, isChanging: boolean) =>
  read<resource.SequenceStats>('sequence-stats', `/v1/sequences/${id}/stats`, {
    refetchInterval: isChanging ? OUTREACH_POLL_MS : false,
  });

export const approvalsQuery = (cursor: string | null) =>
  read<resource.CursorPage<resource.Approval>>('approvals', `/approvals?limit=100${after(cursor)}`, {
    refetchInterval: OUTREACH_POLL_MS,
  });

export const approvalQuery = (id: string) => read<resource.ApprovalDetails>('approval', `/approvals/${id}`);

export const threadsQuery = (filter: { unread: boolean; replies: boolean; text: string }, limit: number) =>
  read<resource.CursorPage<resource.Thread>>(
    'threads',
    `/v1/inbox/threads?limit=${limit}${filter.unread ? '&unread=true' : ''}${filter.replies ? '&kind=reply' : ''}${filter.text ? `&query=${encodeURIComponent(filter.text)}` : ''}`,
    {
      placeholderData: keepPreviousData,
      // A search reads the texts of all messages.
      refetchInterval: filter.text ? false : OUTREACH_POLL_MS,
    },
  );

export const threadQuery = (id: string) =>
  read<resource.ThreadMessages>('thread', `/v1/inbox/threads/${id}?limit=200`, {
    refetchInterval: OUTREACH_POLL_MS,
  });

export const suppressionsQuery = (text: string, cursor: string | null) =>
  read<resource.CursorPage<resource.Suppression>>(
    'suppressions',
    `/v1/suppressions?limit=200${after(cursor)}${text ? `&query=${encodeURIComponent(text)}` : ''}`,
    { placeholderData: keepPreviousData },
  );

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
