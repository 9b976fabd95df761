import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type SubmitEvent } from 'react';
import { callApi } from '../api/http';
import { useMay } from '../api/may';
import { refreshQueries, suppressionsQuery } from '../api/queries';
import type { Suppression, SuppressionsAdded } from '../api/resources';
import { Button, controls, DataTable, EmptyState, ErrorNotice, QueryResult, TextField } from '../ui/controls';
import { formatAgo } from '../ui/format';
import { Pager, useCursorPages } from '../ui/pager';
import { showToast } from '../ui/toasts';

const REASONS: Readonly<Record<Suppression['reason'], string>> = {
  manual: 'added by hand',
  unsubscribed: 'has unsubscribed',
  hard_bounce: 'does not exist',
  soft_bounces: 'bounced three times',
  reply: 'asked not to be contacted',
};

/** Addresses and domains that are never written to. Only a person may remove one. */
export function SuppressionsPage() {
  const [text, setText] = useState('');
  const pages = useCursorPages();
  const suppressions = useQuery(suppressionsQuery(useDeferredValue(text.trim()), pages.cursor));
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
    onSuccess: () => refreshQueries('suppressions'),
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
      {(text !== '' || suppressions.data?.items.length !== 0) && (
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
      <QueryResult query={suppressions}>
        {({ items, next_cursor: next }) =>
          items.length === 0 ? (
            <EmptyState title={text.trim() ? 'Nothing matches' : 'No suppressions'}>
              {!text.trim() &&
                'People who unsubscribe or cannot be reached appear here, and those whom you add.'}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Suppressions"
                head={
                  <>
                    <th>Address or domain</th>
                    <th>Reason</th>
                    <th>Since</th>
                    <th>
                      <span className="visually-hidden">Remove</span>
                    </th>
                  </>
                }
              >
                {items.map(({ suppression_id: id, value, reason, created_at: at }) => (
                  <tr key={id}>
                    <td className={controls.line}>{value ?? 'an erased person'}</td>
                    <td>{REASONS[reason]}</td>
                    <td>{formatAgo(at)}</td>
                    <td className={controls.number}>
                      {mayChange && (
                        <Button
                          size="small"
                          look="quiet"
                          aria-label={`Remove ${value ?? 'an erased person'}`}
                          onClick={() => remove.mutate(id)}
                        >
                          Remove
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </DataTable>
              <Pager pages={pages} next={next} />
            </>
          )
        }
      </QueryResult>
    </section>
  );
}
