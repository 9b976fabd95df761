import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApi, problemOf } from '../api/http';
import { useMay } from '../api/may';
import { providersQuery, refreshQueries, useServiceTitle } from '../api/queries';
import type { Provider } from '../api/resources';
import { useAction } from '../api/use-action';
import { Badge, Button, controls, EmptyState, ErrorNotice, Switch, TextField } from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { showToast } from '../ui/toasts';

const CONFIGURED = { operator: 'by the operator', organisation: 'your own key' } as const;

export function ProvidersPage() {
  const providers = useQuery(providersQuery());
  const isOwner = useMay('administer');
  const [edited, setEdited] = useState<Provider | null>(null);
  const titleOf = useServiceTitle();
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      callApi(`/v1/providers/${id}`, { method: 'PUT', body: { enabled } }),
    onSettled: () => refreshQueries('providers', 'services'),
  });
  return (
    <section className={controls.stack}>
      <p className={controls.muted}>
        Providers of the services, tried in this order. With your own key a lookup costs 0.1 credits instead
        of its price.
      </p>
      <ErrorNotice error={toggle.error} />
      <DataList
        label="Providers"
        query={providers}
        empty={
          <EmptyState title="No providers">
            Services without a key still answer from companies’ own sites.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        columns={{
          Provider: ({ title }) => <strong>{title}</strong>,
          Services: ({ services }) => (
            <span className={controls.muted}>{services.map(titleOf).join(', ')}</span>
          ),
          Key: (provider) => (
            <div className={controls.row}>
              {provider.configured ? (
                <Badge look="good">{CONFIGURED[provider.configured]}</Badge>
              ) : (
                <span className={controls.muted}>none</span>
              )}
              {provider.key_hint && <code>…{provider.key_hint}</code>}
              {isOwner && (
                <Button
                  size="small"
                  aria-label={`Set key of ${provider.title}`}
                  onClick={() => setEdited(provider)}
                >
                  Set key
                </Button>
              )}
            </div>
          ),
          On: ({ id, title, enabled: isOn }) => {
            const text = isOn ? 'on' : 'off';
            if (!isOwner) return text;
            return (
              <Switch
                label={text}
                aria-label={`${title}: ${text}`}
                isOn={isOn}
                onChange={(enabled) => toggle.mutate({ id, enabled })}
              />
            );
          },
        }}
      />
      {edited && <KeyDialog provider={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

function KeyDialog({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const finish = { onSuccess: () => refreshQueries('providers', 'services'), onDone: onClose };
  const save = useAction({
    mutationFn: (key: string) =>
      callApi<Provider>(`/v1/providers/${provider.id}`, { method: 'PUT', body: { key } }),
    onSuccess: ({ key_checked: isChecked }) => {
      finish.onSuccess();
      showToast(
        isChecked
          ? `${provider.title} accepts the key.`
          : `The key is saved, but not checked: if ${provider.title} rejects it, the first lookup says so.`,
      );
    },
    onDone: onClose,
  });
  const remove = useAction({
    mutationFn: () => callApi(`/v1/providers/${provider.id}`, { method: 'DELETE' }),
    ...finish,
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(String(new FormData(event.currentTarget).get('key')).trim());
  };
  return (
    <Dialog title={`Key of ${provider.title}`} onClose={onClose}>
      <form className={controls.stack} onSubmit={submit}>
        <TextField
          label="Key"
          name="key"
          type="password"
          autoComplete="off"
          required
          hint="Stored encrypted, and never shown again."
          problem={problemOf(save.error, 'key')}
        />
        <ErrorNotice error={problemOf(save.error, 'key') ? null : (save.error ?? remove.error)} />
        <div className={controls.row}>
          <Button type="submit" look="primary" isBusy={save.isPending}>
            Save
          </Button>
          {provider.configured === 'organisation' && (
            <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              Remove your key
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
