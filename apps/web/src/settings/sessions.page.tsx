import { useMutation, useQuery } from '@tanstack/react-query';
import { callApp } from '../api/http';
import { appListQuery, refreshQueries } from '../api/queries';
import type { SessionItem } from '../api/resources';
import { Badge, Button, controls, ErrorNotice, QueryResult } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { Ago } from '../ui/ago';
import { formatTime } from '../ui/format';

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
            rows={items}
            keyOf={({ id }) => id}
            columns={{
              Browser: ({ agent, current }) => (
                <>
                  {browserName(agent)} {current && <Badge look="good">this session</Badge>}
                </>
              ),
              Address: ({ address }) => address,
              'Signed in': (session) => formatTime(session.created_at),
              'Last seen': (session) => <Ago at={session.last_seen_at} />,
              End: {
                action: ({ id, agent, current }) =>
                  !current && (
                    <Button
                      size="small"
                      look="danger"
                      aria-label={`End ${browserName(agent)}`}
                      onClick={() => end.mutate(id)}
                    >
                      End
                    </Button>
                  ),
              },
            }}
          />
        )}
      </QueryResult>
    </section>
  );
}
