import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApp } from '../api/http';
import { appListQuery, refreshQueries } from '../api/queries';
import type { SessionItem } from '../api/resources';
import { useAction } from '../api/use-action';
import { Badge, Button, controls, ErrorNotice, Notice, QueryResult, TextField } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
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
  const [password, setPassword] = useState<'kept' | 'open' | 'changed'>('kept');
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>
          Where you are signed in. A session ends after 12 hours without use, and after 14 days at most.
        </p>
        <Button onClick={() => setPassword('open')}>Change password</Button>
      </div>
      {password === 'changed' && (
        <Notice>Your password is changed, and your other sessions have ended. API keys stay valid.</Notice>
      )}
      {password === 'open' && (
        <PasswordDialog onClose={() => setPassword('kept')} onChanged={() => setPassword('changed')} />
      )}
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

function PasswordDialog({ onClose, onChanged }: { onClose: () => void; onChanged: () => void }) {
  const change = useAction({
    mutationFn: (body: { current_password?: string; password: string }) =>
      callApp('/session/password', { method: 'PUT', body }),
    onDone: onChanged,
    onSettled: () => refreshQueries('app'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const current = String(form.get('current'));
    change.mutate({
      ...(current === '' ? {} : { current_password: current }),
      password: String(form.get('password')),
    });
  };
  return (
    <Dialog title="Change password" onClose={onClose}>
      <form className={controls.stack} onSubmit={submit}>
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you have signed in with a login link within the last hour."
          autoFocus
        />
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          hint="At least 10 characters. Your other sessions end."
        />
        <ErrorNotice
          error={change.error}
          words={(text) => text.replace('current_password', 'The current password')}
        />
        <Button type="submit" look="primary" isBusy={change.isPending}>
          Change password
        </Button>
      </form>
    </Dialog>
  );
}
