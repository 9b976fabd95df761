import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { callApi, callOnce } from '../api/http';
import {
  monitorsQuery,
  monitorTableQuery,
  refreshQueries,
  sequencesQuery,
  tablesQuery,
} from '../api/queries';
import type {
  EnrollmentResult,
  Monitor,
  RowWindow,
  Sequence,
  SequenceSummary,
  Table,
  TableView,
} from '../api/resources';
import {
  Button,
  CheckField,
  controls,
  ErrorNotice,
  Notice,
  Options,
  QueryResult,
  SelectField,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount, formatNumber } from '../ui/format';
import { templateNames } from './template-names';

const SKIPS: ReadonlyArray<readonly [keyof EnrollmentResult['skipped'], string]> = [
  ['suppressed', 'suppressed'],
  ['excluded', 'excluded'],
  ['unverified', 'without a verified address'],
  ['duplicate', 'duplicates, or already in a sequence'],
  ['invalid', 'without a valid address'],
];
/** The most that one page of the list has. */
const TABLES_SHOWN = 1000;
/** The most rows that one request enrols or reads. */
const ROWS_MAX = 10_000;
const WINDOW_ROWS = 500;

/** Enrols the people of a table or a monitor in a sequence. */
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
              No table has a column with e-mail addresses yet. Add one with “Find a work e-mail” first.
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
  const enroll = useEnrolling();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const source = { [isMonitor ? 'monitor_id' : 'table_id']: sourceId };
    enroll.mutate({ sequence, body: { ...source, ...choicesOf(event.currentTarget) } });
  };
  if (enroll.data) return <Enrolled result={enroll.data} onClose={onClose} />;
  return (
    <form className={controls.stack} onSubmit={submit}>
      <SelectField label="From" value={sourceId} onChange={({ target }) => setSourceId(target.value)}>
        <optgroup label="Tables">
          <Options
            of={tables.map(({ id, name, row_count: rows }) => [id, `${name} (${formatCount(rows, 'row')})`])}
          />
        </optgroup>
        {monitors.length > 0 && (
          <optgroup label="Monitors: what each has reported so far">
            <Options of={monitors.map(({ id, name }) => [id, name])} />
          </optgroup>
        )}
      </SelectField>
      {table === null && <Notice>The monitor has not reported anyone yet.</Notice>}
      {table && <ColumnField key={sourceId} table={table} />}
      <EnrollChoices sequence={sequence} />
      <ErrorNotice error={enroll.error ?? ofMonitor.error} />
      <Button type="submit" look="primary" isBusy={enroll.isPending} disabled={!table}>
        Add
      </Button>
    </form>
  );
}

interface EnrollRowsDialogProps {
  readonly table: Table;
  /** The current view; null for all rows of the table. */
  readonly view: TableView | null;
  readonly onClose: () => void;
}

/** Enrols the rows of a table's current view in a sequence. */
export function EnrollRowsDialog(props: EnrollRowsDialogProps) {
  const sequences = useQuery({ ...sequencesQuery(), refetchInterval: false });
  return (
    <Dialog title="Add to a sequence" onClose={props.onClose}>
      <QueryResult query={sequences}>
        {({ items }) => {
          const open = items.filter(({ status }) => status !== 'archived');
          return open.length === 0 ? (
            <Notice action={<Link to="/sequences">Go to sequences</Link>}>
              A sequence holds the messages that people receive. There is none yet.
            </Notice>
          ) : (
            <EnrollRowsForm sequences={open} {...props} />
          );
        }}
      </QueryResult>
    </Dialog>
  );
}

function EnrollRowsForm({
  sequences,
  table,
  view,
  onClose,
}: EnrollRowsDialogProps & { sequences: readonly SequenceSummary[] }) {
  const [sequenceId, setSequenceId] = useState(sequences[0]!.sequence_id);
  const sequence = sequences.find(({ sequence_id: id }) => id === sequenceId)!;
  const enroll = useEnrolling();
  const rows = Math.min(view?.row_count ?? table.row_count, view ? ROWS_MAX : Infinity);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = { table_id: table.id, ...choicesOf(event.currentTarget) };
    enroll.mutate({ sequence, body, readIds: view && (() => readRowIds(table.id, view)) });
  };
  if (enroll.data)
    return (
      <Enrolled result={enroll.data} onClose={onClose}>
        <Link to="/sequences/$sequenceId" params={{ sequenceId }} search={{ part: 'people' }}>
          To {sequence.name}
        </Link>
      </Enrolled>
    );
  return (
    <form className={controls.stack} onSubmit={submit}>
      <SelectField label="Sequence" value={sequenceId} onChange={({ target }) => setSequenceId(target.value)}>
        <Options of={sequences.map(({ sequence_id: id, name, status }) => [id, `${name} (${status})`])} />
      </SelectField>
      <ColumnField table={table} />
      {view && view.row_count > rows && (
        <Notice look="amber">
          Only the first {formatCount(rows, 'row')} of {formatNumber(view.row_count)} are added at once.
        </Notice>
      )}
      <EnrollChoices sequence={sequence} />
      <ErrorNotice error={enroll.error} />
      <Button type="submit" look="primary" isBusy={enroll.isPending} disabled={rows === 0}>
        Add {formatCount(rows, 'row')}
      </Button>
    </form>
  );
}

interface Enrolling {
  readonly sequence: Pick<Sequence, 'sequence_id'>;
  readonly body: object;
  /** Reads the ids of the chosen rows; all rows of the source when left out. */
  readonly readIds?: (() => Promise<string[]>) | null;
}

function useEnrolling() {
  return useMutation({
    mutationFn: async ({ sequence: { sequence_id: id }, body, readIds }: Enrolling) =>
      callOnce<EnrollmentResult>(
        `/v1/sequences/${id}/enrollments`,
        readIds ? { ...body, row_ids: await readIds() } : body,
      ),
    onSuccess: () => refreshQueries('sequence', 'sequences', 'enrollments', 'preview', 'approvals', 'table'),
  });
}

async function readRowIds(tableId: string, { id, row_count: count }: TableView): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < Math.min(count, ROWS_MAX); from += WINDOW_ROWS) {
    const path = `/v1/tables/${tableId}/window?view=${id}&from=${from}&count=${WINDOW_ROWS}`;
    ids.push(...(await callApi<RowWindow>(path)).items.map((row) => row.id));
  }
  return ids.slice(0, ROWS_MAX);
}

function choicesOf(element: HTMLFormElement) {
  const form = new FormData(element);
  return { email_column: String(form.get('column')), allow_unverified: form.has('unverified') };
}

function ColumnField({ table }: { table: Table }) {
  return (
    <>
      <SelectField label="Column with e-mail addresses" name="column" defaultValue={emailColumnOf(table)}>
        <Options of={table.columns.map(({ key, name }) => [key, name])} />
      </SelectField>
      <p className={controls.muted}>Messages can use every column of the table: {templateNames(table)}.</p>
    </>
  );
}

function EnrollChoices({ sequence }: { sequence: Pick<Sequence, 'status'> }) {
  return (
    <>
      <CheckField label="Include unverified addresses" name="unverified" />
      {sequence.status === 'active' && (
        <Notice look="amber">
          This sequence is sending. Adding people pauses it until someone approves it again.
        </Notice>
      )}
    </>
  );
}

interface EnrolledProps {
  readonly result: EnrollmentResult;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows how many were enrolled, and why the others were not. */
function Enrolled({ result: { enrolled, skipped }, onClose, children }: EnrolledProps) {
  return (
    <div className={controls.stack}>
      <Notice look={enrolled === 0 ? 'amber' : undefined!} action={children}>
        {formatCount(enrolled, 'person', 'people')} added.
      </Notice>
      <ul>
        {SKIPS.filter(([reason]) => skipped[reason] > 0).map(([reason, text]) => (
          <li key={reason}>
            {formatCount(skipped[reason], 'row')} skipped: {text}.
          </li>
        ))}
      </ul>
      <Button onClick={onClose}>Done</Button>
    </div>
  );
}
