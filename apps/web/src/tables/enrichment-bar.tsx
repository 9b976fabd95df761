import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { callApi } from '../api/http';
import { pollEvery } from '../api/live';
import { currentMode } from '../api/mode';
import { refresh } from '../api/queries';
import type { Enrichment } from '../api/resources';
import { Button, controls } from '../ui/controls';
import { formatCredits, formatNumber } from '../ui/format';
import { showToast } from '../ui/toasts';
import css from './tables.module.css';
import dialogs from './dialogs.module.css';

const isOver = ({ status }: Enrichment) => status === 'completed' || status === 'cancelled';

/** How far a column is filled, what it has cost so far, and the way to stop it. */
export function EnrichmentBar({ enrichment, onEnd }: { enrichment: Enrichment; onEnd: () => void }) {
  const query = useQuery({
    queryKey: [currentMode(), 'enrichment', enrichment.id],
    queryFn: ({ signal }) => callApi<Enrichment>(`/v1/enrichments/${enrichment.id}`, { signal }),
    initialData: enrichment,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : pollEvery(1_000)),
  });
  const stop = useMutation({
    mutationFn: () => callApi(`/v1/enrichments/${enrichment.id}/cancel`, { method: 'POST', body: {} }),
  });
  const { counts, charged } = query.data;
  const done = counts.filled + counts.empty + counts.failed + counts.skipped;
  const all = done + counts.pending;
  const hasEnded = isOver(query.data);
  const summary = useEffectEvent(() => {
    const failed = counts.failed > 0 ? `, ${formatNumber(counts.failed)} failed and cost nothing` : '';
    return `${formatNumber(counts.filled)} filled, ${formatNumber(counts.empty)} without an answer${failed}. ${formatCredits(charged)}.`;
  });
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    refresh('table', 'balance');
    if (!hasEnded) return;
    showToast(summary());
    end();
  }, [hasEnded]);
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
