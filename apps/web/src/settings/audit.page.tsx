import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { callApp } from '../api/http';
import { appListQuery } from '../api/queries';
import type { ApiKey, AuditEntry, CursorPage, Member } from '../api/resources';
import { Button, controls, EmptyState, ErrorNotice, Skeletons } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { formatTime } from '../ui/format';

/** Something that an entry is about. Its name is the first of these. */
interface Named {
  readonly id: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly email?: string;
  readonly address?: string;
  readonly url?: string;
}

const nameOf = ({ name, description, email, address, url }: Named) =>
  name || description || email || address || url;

/** Lists of what entries are about, by the prefix of its ids. What was deleted is in none of them. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['dst', 'destinations'],
  ['mbx', 'mailboxes?limit=1000'],
  ['mon', 'monitors'],
  ['seq', 'sequences?limit=1000'],
  ['tbl', 'tables?limit=1000'],
  ['wh', 'webhooks'],
  ['ws', 'workspaces?limit=1000'],
]);

/** Reads the lists of either mode that the entries need. */
function useNamedObjects(entries: readonly AuditEntry[]): readonly Named[] {
  const paths = entries.flatMap(({ mode, object }) => {
    const list = LISTS.get(object.split('_')[0]!);
    return list ? `${mode}/v1/${list}` : [];
  });
  return useQueries({
    queries: [...new Set(paths)].map((path) => appListQuery<Named>(path)),
    combine: (lists) => lists.flatMap(({ data }) => data?.items ?? []),
  });
}

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
  const named = useNamedObjects(audit.data?.pages.flatMap(({ items }) => items) ?? []);
  const names = new Map([...keys, ...members, ...named].map((each) => [each.id, nameOf(each)]));
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
