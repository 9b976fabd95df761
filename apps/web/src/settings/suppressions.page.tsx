import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApi } from '../api/http';
import { useMay } from '../api/may';
import { refreshQueries, suppressionsQuery } from '../api/queries';
import type { Suppression, SuppressionsAdded } from '../api/resources';
import { Button, ConfirmButton, controls, EmptyState, ErrorNotice, TextField } from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Ago } from '../ui/ago';
import { usePages } from '../ui/pager';
import { showToast } from '../ui/toasts';
import { useSettled } from '../ui/use-settled';

const REASONS: Readonly<Record<Suppression['reason'], string>> = {
  manual: 'added by hand',
  unsubscribed: 'has unsubscribed',
  hard_bounce: 'does not exist',
  soft_bounces: 'bounced three times',
  reply: 'asked not to be contacted',
};

const nameOf = ({ value }: Suppression) => value ?? 'an erased person';

/** Addresses and domains that are never written to. Only a person may remove one. */
export function SuppressionsPage() {
  const [text, setText] = useState('');
  const pages = usePages();
  const searched = useSettled(text.trim());
  const suppressions = useQuery(suppressionsQuery(searched, pages.position));
  const isSearched = text !== '' || searched !== '' || suppressions.isPlaceholderData;
  const mayChange = useMay('change');
  const add = useMutation({
    mutationFn: (entry: string) =>
      callApi<SuppressionsAdded>('/v1/suppressions', {
        method: 'POST',
        body: entry.includes('@') ? { addresses: [entry] } : { domains: [entry] },
      }),
    onSuccess: ({ rejected, created }) => {
      refreshQueries('suppressions');
      showToast(rejected[0]?.message ?? (created > 0 ? 'Added.' : 'Already on the list.'));
    },
  });
  const remove = useMutation({
    mutationFn: (id: string) => callApi(`/suppressions/${id}`, { method: 'DELETE' }),
    // After a failure, too: it may be removed already.
    onSettled: () => refreshQueries('suppressions'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const written = () => String(new FormData(form).get('entry')).trim();
    const entry = written();
    // The next entry may have been typed meanwhile.
    add.mutate(entry, { onSuccess: () => written() === entry && form.reset() });
  };
  return (
    <section className={controls.stack}>
      <p className={controls.muted}>Addresses and domains that no sequence ever writes to.</p>
      {mayChange && (
        <form className={controls.row} onSubmit={submit}>
          <TextField label="Address or domain" name="entry" required placeholder="anna@acme.example" />
          <Button type="submit" isBusy={add.isPending}>
            Add
          </Button>
        </form>
      )}
      <ErrorNotice error={add.error ?? remove.error} />
      {(isSearched || (suppressions.data?.items.length ?? 0) > 0) && (
        <TextField
          label="Search"
          type="search"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            pages.toFirst();
          }}
        />
      )}
      <DataList
        label="Suppressions"
        query={suppressions}
        pages={pages}
        empty={
          <EmptyState title={isSearched ? 'Nothing matches' : 'No suppressions'}>
            {!isSearched &&
              'People who unsubscribe or cannot be reached appear here, and those whom you add.'}
          </EmptyState>
        }
        keyOf={({ suppression_id: id }) => id}
        columns={{
          'Address or domain': { line: nameOf },
          Reason: ({ reason }) => REASONS[reason],
          Since: ({ created_at: at }) => <Ago at={at} />,
          Remove: {
            action: (entry) =>
              mayChange && (
                <ConfirmButton
                  label="Remove"
                  about={nameOf(entry)}
                  confirmLabel="Allow messages again"
                  size="small"
                  isBusy={remove.isPending && remove.variables === entry.suppression_id}
                  onConfirm={() => remove.mutate(entry.suppression_id)}
                />
              ),
          },
        }}
      />
    </section>
  );
}
