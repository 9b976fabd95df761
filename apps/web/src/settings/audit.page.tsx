import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { callApp } from '../api/http';
import { appListQuery } from '../api/queries';
import type { ApiKey, AuditEntry, CursorPage, Member } from '../api/resources';
import { Button, controls, EmptyState, ErrorNotice, Skeletons } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { formatTime } from '../ui/format';

export function AuditPage() {
  const audit = useInfiniteQuery({
    queryKey: ['app', 'audit'],
    queryFn: ({ pageParam, signal }) =>
      callApp<CursorPage<AuditEntry>>(
        `/audit${pageParam ? `?cursor=${encodeURIComponent(pageParam)}` : ''}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  const keys = useQuery(appListQuery<ApiKey>('keys')).data?.items ?? [];
  const members = useQuery(appListQuery<Member>('members')).data?.items ?? [];
  const names = new Map([
    ...keys.map(({ id, name }) => [id, name] as const),
    ...members.map(({ id, email }) => [id, email] as const),
  ]);
  if (audit.error) return <ErrorNotice error={audit.error} onRetry={() => void audit.refetch()} />;
  if (!audit.data) return <Skeletons />;
  const entries = audit.data.pages.flatMap(({ items }) => items);
  if (entries.length === 0)
    return <EmptyState title="Nothing yet">Keys, logins, exports, and erasures appear here.</EmptyState>;
  return (
    <section className={controls.stack}>
      <DataTable
        label="Audit log"
        rows={entries}
        keyOf={({ number }) => number}
        columns={{
          Time: { line: ({ at }) => formatTime(at) },
          Who: {
            line: ({ actor }) => actor.email ?? (actor.kind === 'operator' ? 'the operator' : actor.id),
          },
          Action: (entry) => entry.action.replaceAll(/[._]/g, ' '),
          Target: ({ object }) => (
            <>
              {names.get(object)} <code>{object}</code>
            </>
          ),
          Address: ({ address }) => address,
        }}
      />
      {audit.hasNextPage && (
        <Button isBusy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
          Older
        </Button>
      )}
    </section>
  );
}
