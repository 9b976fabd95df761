import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callApi, callOnce } from '../api/http';
import { pollEvery } from '../api/live';
import { currentMode } from '../api/mode';
import { refreshQueries } from '../api/queries';
import type { Enrichment, Estimated, Table } from '../api/resources';
import type { TableSearch } from '../router';
import { Button, controls, ErrorNotice } from '../ui/controls';
import { formatCount, formatCredits, formatNumber } from '../ui/format';
import { hasRest, type Filling } from './filling';
import { filterParts } from './filter-parts';
import { viewQuery } from './view';
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
              <MoreButton rows="failed" table={table} search={search} filling={filling} onChange={onChange} />
            )}
            {hasRest(query.data, isPart) && (
              <MoreButton rows="empty" table={table} search={search} filling={filling} onChange={onChange} />
            )}
            <Button size="small" look="quiet" onClick={() => onChange(null)}>
              Close
            </Button>
          </div>
        </div>
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

interface MoreProps extends Omit<EnrichmentBarProps, 'onLive'> {
  readonly rows: 'empty' | 'failed';
}

/** Fills further rows, and first shows how many, with which filter, and the most they can cost. */
function MoreButton({ rows, table, search, filling, onChange }: MoreProps) {
  const { enrichment, search: before = {} } = filling;
  // The earlier view may have expired, so its rows are looked up again.
  const view = useQuery(viewQuery(table, before));
  const path = `/v1/tables/${table.id}/enrichments`;
  const request = { ...filling.request, ...(view.data ? { view: view.data.id } : {}) };
  const estimate = useQuery({
    queryKey: [currentMode(), 'estimate', table.id, enrichment.id, rows, view.data?.id],
    queryFn: ({ signal }) =>
      callApi<Estimated>(path, { method: 'POST', body: { ...request, rows, dry_run: true }, signal }),
    enabled: view.isSuccess,
  });
  const more = useMutation({
    mutationFn: () => callOnce<Enrichment>(path, { ...request, rows }),
    onSuccess: (next) => onChange({ ...filling, enrichment: next, isPart: false }),
  });
  const error = view.error ?? estimate.error ?? more.error;
  if (error)
    return (
      <ErrorNotice
        error={error}
        onRetry={() => {
          if (view.isError) void view.refetch();
          else if (estimate.isError) void estimate.refetch();
          else more.mutate();
        }}
      />
    );
  if (!estimate.data || estimate.data.estimate.rows === 0) return null;
  const { rows: count, credits_max: most } = estimate.data.estimate;
  const textOf = (of: TableSearch) => filterParts(table, of).map(({ text }) => text);
  const filters = textOf(before);
  const isOther = filters.join() !== textOf(search).join();
  const ofFilter = filters.length > 0 ? `of those where ${filters.join(', ')}` : 'of the whole table';
  return (
    <Button
      size="small"
      {...(rows === 'empty' ? { look: 'primary' as const } : {})}
      isBusy={more.isPending}
      onClick={() => more.mutate()}
    >
      {rows === 'empty'
        ? `Fill ${formatNumber(count)} more ${count === 1 ? 'row' : 'rows'}`
        : `Try ${formatCount(count, 'failed row')} again`}
      {isOther && ` ${ofFilter}`}, {most === 0 ? 'free' : `at most ${formatCredits(most)}`}
    </Button>
  );
}
