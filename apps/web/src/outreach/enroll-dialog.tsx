import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApi } from '../api/http';
import { monitorsQuery, monitorTableQuery, refreshQueries, tablesQuery } from '../api/queries';
import type { EnrollmentResult, Monitor, Sequence, Table } from '../api/resources';
import { Button, CheckField, controls, ErrorNotice, Notice, QueryResult, SelectField } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount } from '../ui/format';
import { templateNames } from './template-names';

const SKIPS: ReadonlyArray<readonly [keyof EnrollmentResult['skipped'], string]> = [
  ['suppressed', 'on the list of suppressions'],
  ['excluded', 'excluded'],
  ['unverified', 'without a verified address'],
  ['duplicate', 'twice in the list, or in a sequence already'],
  ['invalid', 'without a usable address'],
];
const TABLES_SHOWN = 200;

/** Adds the people of a table or a monitor to a sequence. */
export function EnrollDialog({ sequence, onClose }: { sequence: Sequence; onClose: () => void }) {
  const tables = useQuery(tablesQuery(0, TABLES_SHOWN));
  const monitors = useQuery(monitorsQuery());
  return (
    <Dialog title="Add people" onClose={onClose}>
      <QueryResult query={tables}>
        {({ items }) => {
          const usable = items.filter((table) => emailColumnOf(table) !== undefined);
          return usable.length === 0 ? (
            <Notice>
              No table has a column with e-mail addresses yet. Fill one with “Find e-mail” first.
            </Notice>
          ) : (
            <EnrollForm
              sequence={sequence}
              tables={usable}
              monitors={monitors.data?.items ?? []}
              onClose={onClose}
            />
          );
        }}
      </QueryResult>
    </Dialog>
  );
}

function emailColumnOf({ columns }: Table): string | undefined {
  return columns.find(({ key, name }) => /e-?mail/i.test(`${key} ${name}`))?.key;
}

interface EnrollFormProps {
  readonly sequence: Sequence;
  readonly tables: readonly Table[];
  readonly monitors: readonly Monitor[];
  readonly onClose: () => void;
}

function EnrollForm({ sequence, tables, monitors, onClose }: EnrollFormProps) {
  const [sourceId, setSourceId] = useState(tables[0]!.id);
  const isMonitor = monitors.some(({ id }) => id === sourceId);
  const ofMonitor = useQuery({ ...monitorTableQuery(sourceId), enabled: isMonitor });
  const table = isMonitor ? ofMonitor.data : tables.find(({ id }) => id === sourceId);
  const enroll = useMutation({
    mutationFn: (body: object) =>
      callApi<EnrollmentResult>(`/v1/sequences/${sequence.sequence_id}/enrollments`, {
        method: 'POST',
        body,
      }),
    onSuccess: () => refreshQueries('sequence', 'sequences', 'enrollments', 'preview', 'approvals'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    enroll.mutate({
      [isMonitor ? 'monitor_id' : 'table_id']: sourceId,
      email_column: String(form.get('column')),
      allow_unverified: form.has('unverified'),
    });
  };
  if (enroll.data)
    return (
      <div className={controls.stack}>
        <Notice look={enroll.data.enrolled === 0 ? 'amber' : undefined!}>
          {formatCount(enroll.data.enrolled, 'person', 'people')} added.
        </Notice>
        <ul>
          {SKIPS.filter(([reason]) => enroll.data.skipped[reason] > 0).map(([reason, text]) => (
            <li key={reason}>
              {formatCount(enroll.data.skipped[reason], 'row')} left out: {text}.
            </li>
          ))}
        </ul>
        <Button onClick={onClose}>Done</Button>
      </div>
    );
  return (
    <form className={controls.stack} onSubmit={submit}>
      <SelectField label="From" value={sourceId} onChange={({ target }) => setSourceId(target.value)}>
        <optgroup label="Tables">
          {tables.map(({ id, name, row_count: rows }) => (
            <option key={id} value={id}>
              {name} ({formatCount(rows, 'row')})
            </option>
          ))}
        </optgroup>
        {monitors.length > 0 && (
          <optgroup label="Monitors: what each has reported so far">
            {monitors.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </SelectField>
      {table === null && <Notice>The monitor has reported nobody yet.</Notice>}
      {table && (
        <>
          <SelectField
            label="Column with the addresses"
            name="column"
            key={sourceId}
            defaultValue={emailColumnOf(table)}
          >
            {table.columns.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </SelectField>
          <p className={controls.muted}>
            Messages may name every column of the table: {templateNames(table)}.
          </p>
        </>
      )}
      <CheckField label="Also addresses that nobody has verified" name="unverified" />
      {sequence.status === 'active' && (
        <Notice look="amber">
          It is sending. Adding people pauses it until somebody has approved it again.
        </Notice>
      )}
      <ErrorNotice error={enroll.error ?? ofMonitor.error} />
      <Button type="submit" look="primary" isBusy={enroll.isPending} disabled={!table}>
        Add
      </Button>
    </form>
  );
}
