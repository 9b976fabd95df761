import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { callApp } from '../api/http';
import { appListQuery } from '../api/queries';
import type { ApiKey, AuditEntry, CursorPage, Member } from '../api/resources';
import { Button, controls, DataTable, EmptyState, ErrorNotice, Skeletons } from '../ui/controls';
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
        head={
          <>
            <th>Time</th>
            <th>Who</th>
            <th>Action</th>
            <th>Target</th>
            <th>Address</th>
          </>
        }
      >
        {entries.map(({ number, at, actor, action, object, address }) => (
          <tr key={number}>
            <td className={controls.line}>{formatTime(at)}</td>
            <td className={controls.line}>
              {actor.email ?? (actor.kind === 'operator' ? 'the operator' : actor.id)}
            </td>
            <td>{action.replaceAll(/[._]/g, ' ')}</td>
            <td>
              {names.get(object)} <code>{object}</code>
            </td>
            <td>{address}</td>
          </tr>
        ))}
      </DataTable>
      {audit.hasNextPage && (
        <Button isBusy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
          Older
        </Button>
      )}
    </section>
  );
}
