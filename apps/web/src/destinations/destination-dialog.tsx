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
  EmptyState,
  ErrorNotice,
  type BadgeLook,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { formatNumber, formatTime } from '../ui/format';
import { usePages } from '../ui/pager';
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
  const pages = usePages();
  return (
    <DataList
      label="Pushes"
      query={useQuery(pushesQuery(destinationId, pages.position))}
      pages={pages}
      empty={
        <EmptyState title="Nothing pushed yet">
          Open a table and press “Send to…”. Pushes are kept for 30 days after they end.
        </EmptyState>
      }
      keyOf={({ id }) => id}
      columns={{
        When: ({ table_id: tableId, created_at: at }) => (
          <Link to="/tables/$tableId" params={{ tableId }}>
            {formatTime(at)}
          </Link>
        ),
        Status: ({ status, reason }) => (
          <>
            <PushBadge status={status} />
            {reason && <div className={controls.muted}>{reason}</div>}
          </>
        ),
        Sent: { number: ({ counts }) => formatNumber(countSent(counts)) },
        Skipped: { number: ({ counts }) => formatNumber(readLeftOut(counts).count) },
        Failed: {
          number: ({ id, counts: { failed } }) =>
            failed === 0 ? (
              0
            ) : (
              <Button size="small" onClick={() => onOpen(id)}>
                {formatNumber(failed)} failed
              </Button>
            ),
        },
      }}
    />
  );
}

/** The most failures whose rows are named: each name takes a request. Further ones show the id of their row. */
const NAMED_ROWS = 20;

function Failures({ destinationId, pushId }: { destinationId: string; pushId: string }) {
  const pages = usePages();
  const tableId = useQuery(pushQuery(destinationId, pushId)).data?.table_id;
  return (
    <>
      <p>Rows that the destination rejected. The next push tries them again.</p>
      <DataList
        label="Failures"
        query={useQuery(pushFailuresQuery(destinationId, pushId, pages.position))}
        pages={pages}
        pageLabels={['Previous', 'Next']}
        empty={null}
        keyOf={(failure) => failure.row_id}
        columns={{
          'Reason and row': ({ row_id: row, reason }, index) => (
            <>
              {reason}
              <div className={controls.muted}>
                {tableId && index < NAMED_ROWS ? <RowName tableId={tableId} rowId={row} /> : row}
              </div>
            </>
          ),
          When: ({ at }) => formatTime(at),
        }}
      />
    </>
  );
}

/** Identifies a row by its first values; by its id until these are loaded, or when the row was removed. */
function RowName({ tableId, rowId }: { tableId: string; rowId: string }) {
  const row = useQuery(rowQuery(tableId, rowId)).data;
  const table = useQuery(tableQuery(tableId)).data;
  return (row && table && rowName(row, table.columns)) || rowId;
}
