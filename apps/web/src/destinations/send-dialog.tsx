import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callOnce } from '../api/http';
import { isPushOver, pushesQuery, pushPreviewQuery, refreshQueries } from '../api/queries';
import type { Destination, Push, PushPreview, Table } from '../api/resources';
import services from '../services/services.module.css';
import dialogs from '../tables/dialogs.module.css';
import { Button, controls, ErrorNotice, Notice, Options, QueryResult, SelectField } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount, formatNumber } from '../ui/format';
import { countSent, KINDS, mappingText, readLeftOut } from './destination-text';

interface SendDialogProps {
  readonly table: Table;
  readonly destinations: readonly Destination[];
  readonly view: string | undefined;
  readonly onClose: () => void;
}

/** Pushes a table, or the rows of the current view, to a destination: first shows a preview, then the progress. */
export function SendDialog({ table, destinations, view, onClose }: SendDialogProps) {
  const [destinationId, setDestinationId] = useState(destinations[0]?.id ?? '');
  const body = { table_id: table.id, ...(view ? { view } : {}) };
  const preview = useQuery(pushPreviewQuery(destinationId, body));
  const send = useMutation({
    mutationFn: () => callOnce<Push>(`/v1/destinations/${destinationId}/pushes`, body),
    onSuccess: () => refreshQueries('pushes'),
  });
  const found = preview.data;
  const rows = found ? countSent(found.counts) : 0;
  const isWhole = found?.looked_at === found?.row_count;
  return (
    <Dialog
      title={`Send ${table.name}`}
      onClose={onClose}
      actions={
        !send.data && (
          <Button
            look="primary"
            isBusy={send.isPending}
            disabled={!found || preview.isFetching || (rows === 0 && isWhole)}
            onClick={() => send.mutate()}
          >
            {!found ? 'Send' : isWhole ? `Send ${formatCount(rows, 'row')}` : 'Send new and changed rows'}
          </Button>
        )
      }
    >
      {send.data ? (
        <PushProgress begun={send.data} rowCount={found?.row_count ?? table.row_count} />
      ) : (
        <>
          <SelectField
            label="Destination"
            value={destinationId}
            onChange={({ target }) => {
              send.reset();
              setDestinationId(target.value);
            }}
          >
            <Options of={destinations.map(({ id, name, kind }) => [id, `${name} (${KINDS[kind].label})`])} />
          </SelectField>
          <QueryResult query={preview}>{(data) => <Preview preview={data} />}</QueryResult>
          {view && <p className={controls.muted}>Only the rows that you see, as filtered, are sent.</p>}
          <ErrorNotice error={send.error} />
        </>
      )}
    </Dialog>
  );
}

function Preview({ preview }: { preview: PushPreview }) {
  const { counts, mapping, payloads, looked_at: lookedAt, row_count: rowCount } = preview;
  const leftOut = readLeftOut(counts);
  const [first] = payloads;
  return (
    <>
      <p>
        {lookedAt < rowCount && `Of the first ${formatCount(lookedAt, 'row')}: `}
        {formatNumber(counts.new)} new, {formatNumber(counts.changed)} changed, {formatNumber(leftOut.count)}{' '}
        skipped{leftOut.reasons && `: ${leftOut.reasons}`}.
      </p>
      <details>
        <summary>Mapping</summary>
        <pre>{mappingText(mapping)}</pre>
      </details>
      {first && (
        <>
          <p className={controls.muted}>The first request, with one row. The secret is masked.</p>
          <pre className={services.code} tabIndex={0} aria-label="First request" role="region">
            {`${first.method} ${first.url}\n\n${JSON.stringify(first.body, null, 2)}`}
          </pre>
        </>
      )}
    </>
  );
}

const STATUS_TEXTS: Readonly<Record<Push['status'], string>> = {
  queued: 'Waiting in the queue. It continues if you close this.',
  working: 'Sending. It continues if you close this.',
  completed: 'Done.',
  failed: 'The push failed.',
};

function PushProgress({ begun, rowCount }: { begun: Push; rowCount: number }) {
  const pushes = useQuery(pushesQuery(begun.destination_id));
  const push = pushes.data?.items.find(({ id }) => id === begun.id) ?? begun;
  const { counts, status, reason } = push;
  const [sent, leftOut] = [countSent(counts), readLeftOut(counts).count];
  const share = rowCount > 0 ? Math.min(1, (sent + leftOut + counts.failed) / rowCount) : 0;
  return (
    <div className={controls.stack}>
      <p role="status">
        {STATUS_TEXTS[status]} {formatNumber(sent)} sent, {formatNumber(leftOut)} skipped,{' '}
        {formatNumber(counts.failed)} failed.
      </p>
      {reason && <Notice look={status === 'failed' ? 'red' : 'amber'}>{reason}</Notice>}
      {!isPushOver(push) && (
        <div className={dialogs.bar} role="progressbar" aria-label="Progress" aria-valuenow={100 * share}>
          <div style={{ width: `${100 * share}%` }} />
        </div>
      )}
      <ErrorNotice error={pushes.error} />
      <Link
        to="/settings/destinations"
        search={{ destination: push.destination_id, push: counts.failed > 0 ? push.id : undefined }}
      >
        {counts.failed > 0 ? `See ${formatCount(counts.failed, 'failed row')}` : 'All pushes'}
      </Link>
    </div>
  );
}
