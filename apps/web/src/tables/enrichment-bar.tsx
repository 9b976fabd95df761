import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callApi, callOnce } from '../api/http';
import { pollEvery } from '../api/live';
import { currentMode } from '../api/mode';
import { refreshQueries } from '../api/queries';
import type { Enrichment } from '../api/resources';
import { Button, controls, ErrorNotice } from '../ui/controls';
import { formatCount, formatCredits, formatNumber } from '../ui/format';
import type { Filling } from './filling';
import css from './tables.module.css';
import dialogs from './dialogs.module.css';

const isOver = ({ status }: Enrichment) => status === 'completed' || status === 'cancelled';

interface EnrichmentBarProps {
  readonly filling: Filling;
  /** Told of what is filled next, and of null when the bar is closed. */
  readonly onChange: (filling: Filling | null) => void;
  /** Told whether cells are still looked up. */
  readonly onLive: (isLive: boolean) => void;
}

/** Shows how far a column is filled and what it has cost, the way to stop it, and what can be done when it has ended. */
export function EnrichmentBar({ filling, onChange, onLive }: EnrichmentBarProps) {
  const { enrichment, request, isPart } = filling;
  const query = useQuery({
    queryKey: [currentMode(), 'enrichment', enrichment.id],
    queryFn: ({ signal }) => callApi<Enrichment>(`/v1/enrichments/${enrichment.id}`, { signal }),
    initialData: enrichment,
    // It may have ended, and its change been told, before this bar was there: it is read at once.
    initialDataUpdatedAt: 0,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : pollEvery(1_000)),
  });
  const stop = useMutation({
    mutationFn: () => callApi(`/v1/enrichments/${enrichment.id}/cancel`, { method: 'POST', body: {} }),
  });
  const more = useMutation({
    mutationFn: (rows: 'empty' | 'failed') =>
      callOnce<Enrichment>(`/v1/tables/${enrichment.table_id}/enrichments`, { ...request, rows }),
    onSuccess: (next) => onChange({ enrichment: next, request, isPart: false }),
  });
  const { counts, charged } = query.data;
  const done = counts.filled + counts.empty + counts.failed + counts.skipped;
  const all = done + counts.pending;
  const hasEnded = isOver(query.data);
  useEffect(() => {
    refreshQueries('table', 'balance');
    onLive(!hasEnded);
  }, [hasEnded, onLive]);
  if (hasEnded)
    return (
      <div className={css.progress}>
        <div className={controls.spread}>
          <span role="status">
            {formatNumber(counts.filled)} filled, {formatNumber(counts.empty)} without an answer
            {counts.skipped > 0 && `, ${formatNumber(counts.skipped)} not looked up`}
            {counts.failed > 0 && `, ${formatNumber(counts.failed)} failed and cost nothing`}.{' '}
            {formatCredits(charged)}.
          </span>
          <div className={controls.row}>
            {counts.failed > 0 && (
              <Button size="small" isBusy={more.isPending} onClick={() => more.mutate('failed')}>
                Try {formatCount(counts.failed, 'failed row')} again
              </Button>
            )}
            {(isPart || query.data.status === 'cancelled') && (
              <Button
                size="small"
                look="primary"
                isBusy={more.isPending}
                onClick={() => more.mutate('empty')}
              >
                Fill the rest
              </Button>
            )}
            <Button size="small" look="quiet" onClick={() => onChange(null)}>
              Close
            </Button>
          </div>
        </div>
        <ErrorNotice error={more.error} />
      </div>
    );
  return (
    <div className={css.progress}>
      <div className={controls.spread}>
        <span role="status">
          {formatNumber(done)} of {formatNumber(all)} rows looked up, {formatCredits(charged)} so far
        </span>
        <Button size="small" look="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
          Stop
        </Button>
      </div>
      <div
        className={dialogs.bar}
        role="progressbar"
        aria-label="Rows looked up"
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={done}
      >
        <div style={{ width: `${all > 0 ? (100 * done) / all : 0}%` }} />
      </div>
    </div>
  );
}
