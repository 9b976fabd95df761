import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi } from '../api/http';
import { useMay } from '../api/may';
import {
  pushesQuery,
  pushFailuresQuery,
  pushQuery,
  refreshQueries,
  rowQuery,
  tableQuery,
} from '../api/queries';
import type { Destination, Push } from '../api/resources';
import { useAction } from '../api/use-action';
import {
  Badge,
  Button,
  ConfirmButton,
  controls,
  DataTable,
  EmptyState,
  ErrorNotice,
  QueryResult,
  type BadgeLook,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatNumber, formatTime } from '../ui/format';
import { Pager, useCursorPages } from '../ui/pager';
import { DestinationForm } from './destination-form';
import { countSent, CRM_KINDS, KINDS, readLeftOut, rowName } from './destination-text';

const LOOKS: Readonly<Record<Push['status'], BadgeLook>> = {
  queued: 'plain',
  working: 'busy',
  completed: 'good',
  failed: 'bad',
};

export function PushBadge({ status }: Pick<Push, 'status'>) {
  return <Badge look={LOOKS[status]}>{status}</Badge>;
}

interface DestinationDialogProps {
  readonly destination: Destination;
  /** The push whose failures are shown instead of the list of pushes. */
  readonly pushId: string | undefined;
  readonly onOpenPush: (pushId?: string) => void;
  readonly onClose: () => void;
}

/** Shows the pushes to a destination and the failures of one; changes and removes the destination. */
export function DestinationDialog({ destination, pushId, onOpenPush, onClose }: DestinationDialogProps) {
  const { id, name, kind, settings } = destination;
  const [isEditing, setEditing] = useState(false);
  const mayChange = useMay('change');
  const remove = useAction({
    mutationFn: () => callApi(`/v1/destinations/${id}`, { method: 'DELETE' }),
    onSuccess: () => refreshQueries('destinations'),
    onDone: onClose,
  });
  const back = pushId ? () => onOpenPush() : isEditing ? () => setEditing(false) : null;
  const actions = back ? (
    <Button onClick={back}>Back to pushes</Button>
  ) : (
    mayChange && (
      <>
        <ConfirmButton
          label="Remove"
          confirmLabel="Remove permanently, with its pushes"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
        <Button onClick={() => setEditing(true)}>Edit</Button>
      </>
    )
  );
  return (
    <Dialog title={name} place="wide" isAddressed onClose={onClose} actions={actions}>
      <p className={controls.muted}>
        {[
          KINDS[kind].label,
          settings.url ?? settings.campaign_id,
          CRM_KINDS.has(kind) && (settings.overwrite ? 'overwrites existing values' : 'fills empty fields'),
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <ErrorNotice error={remove.error} />
      {pushId ? (
        <Failures destinationId={id} pushId={pushId} />
      ) : isEditing ? (
        <DestinationForm destination={destination} onSaved={() => setEditing(false)} />
      ) : (
        <Pushes destinationId={id} onOpen={onOpenPush} />
      )}
    </Dialog>
  );
}

function Pushes({ destinationId, onOpen }: { destinationId: string; onOpen: (pushId: string) => void }) {
  const pages = useCursorPages();
  const head = (
    <>
      <th>When</th>
      <th>Status</th>
      <th className={controls.number}>Sent</th>
      <th className={controls.number}>Skipped</th>
      <th className={controls.number}>Failed</th>
    </>
  );
  const row = ({ id, table_id: tableId, created_at: at, status, reason, counts }: Push) => (
    <tr key={id}>
      <td>
        <Link to="/tables/$tableId" params={{ tableId }}>
          {formatTime(at)}
        </Link>
      </td>
      <td>
        <PushBadge status={status} />
        {reason && <div className={controls.muted}>{reason}</div>}
      </td>
      <td className={controls.number}>{formatNumber(countSent(counts))}</td>
      <td className={controls.number}>{formatNumber(readLeftOut(counts).count)}</td>
      <td className={controls.number}>
        {counts.failed === 0 ? (
          0
        ) : (
          <Button size="small" onClick={() => onOpen(id)}>
            {formatNumber(counts.failed)} failed
          </Button>
        )}
      </td>
    </tr>
  );
  return (
    <QueryResult query={useQuery(pushesQuery(destinationId, pages.cursor))}>
      {({ items, next_cursor: next }) =>
        items.length > 0 ? (
          <>
            <DataTable label="Pushes" head={head}>
              {items.map(row)}
            </DataTable>
            <Pager pages={pages} next={next} />
          </>
        ) : (
          <EmptyState title="Nothing pushed yet">
            Open a table and press “Send to…”. Pushes are kept for 30 days after they end.
          </EmptyState>
        )
      }
    </QueryResult>
  );
}

/** The most failures whose rows are named: each name takes a request. Further ones show the id of their row. */
const NAMED_ROWS = 20;

function Failures({ destinationId, pushId }: { destinationId: string; pushId: string }) {
  const pages = useCursorPages();
  const tableId = useQuery(pushQuery(destinationId, pushId)).data?.table_id;
  const head = (
    <>
      <th>Reason and row</th>
      <th>When</th>
    </>
  );
  return (
    <QueryResult query={useQuery(pushFailuresQuery(destinationId, pushId, pages.cursor))}>
      {({ items, next_cursor: next }) => (
        <>
          <p>Rows that the destination rejected. The next push tries them again.</p>
          <DataTable label="Failures" head={head}>
            {items.map(({ row_id: row, reason, at }, index) => (
              <tr key={row}>
                <td>
                  {reason}
                  <div className={controls.muted}>
                    {tableId && index < NAMED_ROWS ? <RowName tableId={tableId} rowId={row} /> : row}
                  </div>
                </td>
                <td>{formatTime(at)}</td>
              </tr>
            ))}
          </DataTable>
          <Pager pages={pages} next={next} labels={['Previous', 'Next']} />
        </>
      )}
    </QueryResult>
  );
}

/** Identifies a row by its first values; by its id until these are loaded, or when the row was removed. */
function RowName({ tableId, rowId }: { tableId: string; rowId: string }) {
  const row = useQuery(rowQuery(tableId, rowId)).data;
  const table = useQuery(tableQuery(tableId)).data;
  return (row && table && rowName(row, table.columns)) || rowId;
}
