import { useMutation, useQuery } from '@tanstack/react-query';
import { callApp } from '../api/http';
import { appListQuery, refreshQueries } from '../api/queries';
import type { SessionItem } from '../api/resources';
import { Badge, Button, controls, DataTable, ErrorNotice, QueryResult } from '../ui/controls';
import { formatAgo, formatTime } from '../ui/format';

/** @returns the browser and system that a user agent names, as people call them */
function browserName(agent: string | null): string {
  if (!agent) return 'Unknown browser';
  const browser = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari)\//.exec(agent)?.[1] ?? 'Browser';
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent)?.[1];
  const names: Readonly<Record<string, string>> = {
    Edg: 'Edge',
    OPR: 'Opera',
    HeadlessChrome: 'Chrome',
    'Mac OS X': 'macOS',
  };
  return [names[browser] ?? browser, system && (names[system] ?? system)].filter(Boolean).join(' on ');
}

export function SessionsPage() {
  const sessions = useQuery(appListQuery<SessionItem>('sessions'));
  const end = useMutation({
    mutationFn: (id: string) => callApp(`/sessions/${id}`, { method: 'DELETE' }),
    onSettled: () => refreshQueries('app'),
  });
  return (
    <section className={controls.stack}>
      <p className={controls.muted}>
        Where you are signed in. A session ends after 12 hours without use, and after 14 days at most.
      </p>
      <ErrorNotice error={end.error} />
      <QueryResult query={sessions}>
        {({ items }) => (
          <DataTable
            label="Sessions"
            head={
              <>
                <th>Browser</th>
                <th>Address</th>
                <th>Signed in</th>
                <th>Last seen</th>
                <th>
                  <span className="visually-hidden">End</span>
                </th>
              </>
            }
          >
            {items.map((session) => (
              <tr key={session.id}>
                <td>
                  {browserName(session.agent)} {session.current && <Badge look="good">this session</Badge>}
                </td>
                <td>{session.address}</td>
                <td>{formatTime(session.created_at)}</td>
                <td>{formatAgo(session.last_seen_at)}</td>
                <td className={controls.number}>
                  {!session.current && (
                    <Button
                      size="small"
                      look="danger"
                      aria-label={`End ${browserName(session.agent)}`}
                      onClick={() => end.mutate(session.id)}
                    >
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryResult>
    </section>
  );
}
