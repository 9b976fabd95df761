import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApp, callOnce } from '../api/http';
import { useMay } from '../api/may';
import { useMode } from '../api/mode';
import { appListQuery, refreshQueries, sessionQuery } from '../api/queries';
import type { ApiKey } from '../api/resources';
import { useAction } from '../api/use-action';
import {
  Badge,
  Button,
  controls,
  EmptyState,
  ErrorNotice,
  Notice,
  SelectField,
  TextField,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { CopyField } from '../ui/copy-field';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { endOfDay, formatCredits, formatDay } from '../ui/format';

interface NewKey {
  readonly name: string;
  readonly mode: string;
  readonly expires_at?: string;
  readonly cap_day?: number;
  readonly cap_month?: number;
}

export function KeysPage() {
  const keys = useQuery(appListQuery<ApiKey>('keys'));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const mayChange = useMay('change');
  const seesAll = useMay('administer');
  const session = useQuery(sessionQuery);
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>
          Keys for programs and agents. Each key works in one mode and spends no more than its caps.
        </p>
        {mayChange && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Create API key
          </Button>
        )}
      </div>
      <DataList
        label="API keys"
        query={keys}
        empty={
          <EmptyState title={seesAll ? 'No keys yet' : 'You have no keys'}>
            A program needs one to call the API.{!seesAll && ' Owners see everyone’s keys.'}
          </EmptyState>
        }
        keyOf={({ id }) => id}
        columns={{
          Name: (key) => (
            <>
              {key.name ?? 'Created on the server'}{' '}
              <Badge look={key.mode === 'test' ? 'warn' : 'good'}>{key.mode}</Badge>
              {key.user.id !== session.data?.user.id && (
                <div className={controls.muted}>of {key.user.email}</div>
              )}
              {key.expires_at && <div className={controls.muted}>until {formatDay(key.expires_at)}</div>}
            </>
          ),
          Key: { line: (key) => <code>…{key.last_four}</code> },
          Caps: capsText,
          'Last used': (key) => (key.last_used_at ? <Ago at={key.last_used_at} /> : 'never'),
          Created: (key) => formatDay(key.created_at),
          Revoke: {
            action: (key) =>
              mayChange && (
                <Button
                  size="small"
                  look="danger"
                  aria-label={`Revoke ${key.name ?? key.last_four}`}
                  onClick={() => setRevoked(key)}
                >
                  Revoke
                </Button>
              ),
          },
        }}
      />
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {revoked && <RevokeDialog apiKey={revoked} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function capsText({ cap_day: day, cap_month: month }: ApiKey): string {
  const caps = [
    day !== null && `${formatCredits(day)} a day`,
    month !== null && `${formatCredits(month)} a month`,
  ];
  return caps.filter(Boolean).join(', ') || 'none';
}

function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const mode = useMode();
  const create = useMutation({
    mutationFn: (body: NewKey) => callOnce<{ api_key: string }>('/keys', body, callApp),
    // After a failure, too: a key whose answer was lost must be seen, to be revoked.
    onSettled: () => refreshQueries('app'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    create.mutate({
      name: text('name'),
      mode: text('mode'),
      ...(text('expires') ? { expires_at: endOfDay(text('expires')).toISOString() } : {}),
      ...(text('day') ? { cap_day: Number(text('day')) } : {}),
      ...(text('month') ? { cap_month: Number(text('month')) } : {}),
    });
  };
  if (create.data)
    return (
      <Dialog title="Your new key" onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
        <Notice look="amber">The key is shown only once. Store it where your program finds it.</Notice>
        <CopyField label="API key" value={create.data.api_key} />
      </Dialog>
    );
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <form className={controls.stack} onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          autoFocus
          placeholder="Nightly enrichment"
        />
        <SelectField label="Mode" name="mode" defaultValue={mode}>
          <option value="live">Live: real work, real credits</option>
          <option value="test">Test: the sandbox and its own balance</option>
        </SelectField>
        <TextField label="Daily credit cap (optional)" name="day" type="number" min={0.001} step="any" />
        <TextField label="Monthly credit cap (optional)" name="month" type="number" min={0.001} step="any" />
        <TextField label="Expires on (optional)" name="expires" type="date" />
        <ErrorNotice error={create.error} />
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Create
        </Button>
      </form>
    </Dialog>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useAction({
    mutationFn: () => callApp(`/keys/${apiKey.id}`, { method: 'DELETE' }),
    onSuccess: () => refreshQueries('app'),
    onDone: onClose,
  });
  return (
    <Dialog
      title={`Revoke ${apiKey.name ?? apiKey.last_four}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        </>
      }
    >
      <p>
        Programs that use it lose access within 5 seconds, and runs that it started end. This cannot be
        undone.
      </p>
      <ErrorNotice error={revoke.error} />
    </Dialog>
  );
}
