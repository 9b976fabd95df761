import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callApi } from '../api/http';
import { pollEvery } from '../api/live';
import { currentMode } from '../api/mode';
import { refreshQueries } from '../api/queries';
import type { Enrichment, Table } from '../api/resources';
import type { TableSearch } from '../router';
import { Button, controls, ErrorNotice, joinClasses } from '../ui/controls';
import { formatCount, formatCredits, formatNumber } from '../ui/format';
import { hasRest, type Filling } from './filling';
import { MoreButton } from './more-button';
import css from './tables.module.css';
import dialogs from './dialogs.module.css';

const isOver = ({ status }: Enrichment) => status === 'completed' || status === 'cancelled';

interface EnrichmentBarProps {
  readonly table: Table;
  /** The current view of the table. */
  readonly search: TableSearch;
  readonly filling: Filling;
  /** Called with the next filling, and with null when the bar is closed. */
  readonly onChange: (filling: Filling | null) => void;
  /** Called with whether cells are still being looked up. */
  readonly onLive: (isLive: boolean) => void;
}

/** Shows the progress and cost of filling a column, and how to stop it, or what can be done after its end. */
export function EnrichmentBar({ table, search, filling, onChange, onLive }: EnrichmentBarProps) {
  const { enrichment, isPart } = filling;
  const query = useQuery({
    queryKey: [currentMode(), 'enrichment', enrichment.id],
    queryFn: ({ signal }) => callApi<Enrichment>(`/v1/enrichments/${enrichment.id}`, { signal }),
    initialData: enrichment,
    // It may have ended before this bar was shown, so it is read at once.
    initialDataUpdatedAt: 0,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : pollEvery(1_000)),
  });
  const stop = useMutation({
    mutationFn: () => callApi(`/v1/enrichments/${enrichment.id}/cancel`, { method: 'POST', body: {} }),
  });
  const { counts, charged } = query.data;
  const done = counts.filled + counts.empty + counts.failed + counts.skipped;
  const all = done + counts.pending;
  const hasEnded = isOver(query.data);
  useEffect(() => {
    refreshQueries('table', 'balance');
    onLive(!hasEnded);
  }, [hasEnded, onLive]);
  if (hasEnded) {
    const more = {
      table,
      request: filling.request,
      ofRows: filling.search ?? {},
      shown: search,
      after: enrichment.id,
      onStarted: (next: Enrichment) => onChange({ ...filling, enrichment: next, isPart: false }),
    };
    return (
      <div className={css.progress}>
        <div className={controls.spread}>
          <span role="status">
            {formatNumber(counts.filled)} filled, {formatNumber(counts.empty)} without an answer
            {counts.skipped > 0 && `, ${formatNumber(counts.skipped)} not looked up`}
            {counts.failed > 0 && `, ${formatNumber(counts.failed)} failed and cost nothing`}.{' '}
            {formatCredits(charged)}.
          </span>
          <div className={joinClasses(controls.row, dialogs.more)}>
            {counts.failed > 0 && (
              <MoreButton rows="failed" {...more}>
                {(count) => `Try ${formatCount(count, 'failed row')} again`}
              </MoreButton>
            )}
            {hasRest(query.data, isPart) && (
              <MoreButton rows="empty" look="primary" {...more}>
                {(count) => `Fill ${formatCount(count, 'more row')}`}
              </MoreButton>
            )}
            <Button size="small" look="quiet" onClick={() => onChange(null)}>
              Close
            </Button>
          </div>
        </div>
      </div>
    );
  }
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
      <ErrorNotice error={stop.error} />
    </div>
  );
}
