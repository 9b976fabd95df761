import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApi } from '../api/http';
import { May } from '../api/may';
import type { ErasureReceipt } from '../api/resources';
import { Button, controls, ErrorNotice, Notice, TextField } from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { formatCount, formatField, formatNumber } from '../ui/format';

/** Kinds of data and how long they are kept, the same as in docs/retention.md. */
const KEPT: ReadonlyArray<readonly [string, string]> = [
  ['Inputs and answers of batches', '30 days after they end'],
  ['E-mail and phone answers, for reuse', '7 days'],
  ['Exports', '30 days'],
  ['Prompts and steps of runs', '90 days after they end'],
  ['Tables and runs', 'until their workspace is archived'],
  ['Messages of sequences, and replies', '365 days'],
  ['Suppressions, and contact history', 'permanently'],
  ['The ledger of credits', 'permanently; it holds no personal data'],
];

export function DataPage() {
  return (
    <section className={controls.stack}>
      <h2>Data retention</h2>
      <DataTable
        label="Data retention"
        rows={KEPT}
        keyOf={([what]) => what}
        columns={{ Data: ([what]) => what, Kept: ([, time]) => time }}
      />
      <p className={controls.muted}>
        These are the defaults; the operator of this installation may have changed them.
      </p>
      <May task="administer">
        <EraseForm />
      </May>
    </section>
  );
}

function EraseForm() {
  const [isSure, setSure] = useState(false);
  const erase = useMutation({
    mutationFn: (body: Record<string, string>) =>
      callApi<ErasureReceipt>('/v1/erasures', { method: 'POST', body }),
    onSettled: () => setSure(false),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isSure) {
      setSure(true);
      return;
    }
    const form = new FormData(event.currentTarget);
    const filled = [...form]
      .map(([name, value]) => [name, String(value).trim()] as const)
      .filter(([, value]) => value !== '');
    erase.mutate(Object.fromEntries(filled));
  };
  const places = Object.entries(erase.data?.erased ?? {});
  const total = places.reduce((sum, [, count]) => sum + count, 0);
  return (
    <form className={`${controls.card} ${controls.stack}`} onSubmit={submit} onChange={() => setSure(false)}>
      <h2>Erase a person</h2>
      <p className={controls.muted}>
        Removes a person from tables, answers, exports and prompts, and keeps them from being added again.
        Identify the person by e-mail, LinkedIn profile, or name and company. This cannot be undone.
      </p>
      <TextField label="E-mail" name="email" type="email" />
      <TextField label="LinkedIn profile" name="linkedin_url" type="url" />
      <TextField label="Name" name="name" />
      <TextField label="Company" name="company" />
      <ErrorNotice error={erase.error} />
      <div>
        <Button type="submit" look="danger" isBusy={erase.isPending}>
          {isSure ? 'Erase permanently' : 'Erase'}
        </Button>
      </div>
      {erase.data && (
        <Notice look={total === 0 ? 'amber' : undefined}>
          <p>
            Receipt <code>{erase.data.receipt_id}</code>:{' '}
            {total === 0 ? 'nothing about this person was found.' : `${formatCount(total, 'place')} erased.`}
          </p>
          <ul>
            {places
              .filter(([, count]) => count > 0)
              .map(([place, count]) => (
                <li key={place}>
                  {formatField(place)}: {formatNumber(count)}
                </li>
              ))}
          </ul>
        </Notice>
      )}
    </form>
  );
}
