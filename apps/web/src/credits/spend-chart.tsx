import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { LedgerEntry } from '../api/resources';
import { formatCredits } from '../ui/format';
import css from './credits.module.css';

const DAY_S = 86_400;
const HEIGHT = 136;
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAYS_SHOWN = 30;

/** @returns spent credits of each of the last thirty days, oldest first: days as seconds since 1970, and amounts */
function spentByDay(entries: readonly LedgerEntry[]): { days: number[]; amounts: number[] } {
  const today = Math.floor(Date.now() / 1000 / DAY_S);
  const byDay = new Map<number, number>();
  for (const { at, kind, amount } of entries) {
    const day = Math.floor(Date.parse(at) / 1000 / DAY_S);
    if (kind === 'charge') byDay.set(day, (byDay.get(day) ?? 0) - amount);
  }
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => today - DAYS_SHOWN + 1 + index);
  return { days: days.map((day) => day * DAY_S), amounts: days.map((day) => byDay.get(day) ?? 0) };
}

/** Bars of what each day of the entries in sight has cost. The table below says the same in numbers. */
export function SpendChart({ entries }: { entries: readonly LedgerEntry[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element || !uPlot.paths.bars) return;
    const style = getComputedStyle(document.documentElement);
    const muted = style.getPropertyValue('--muted');
    const { days, amounts } = spentByDay(entries);
    const axis = { stroke: muted, grid: { show: false }, ticks: { show: false }, font: '12px sans-serif' };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, _min, max) => [0, Math.max(1, max)] } },
        axes: [
          { ...axis, size: 28, gap: 8, values: (_, days) => days.map((day) => DAY.format(day * 1000)) },
          { ...axis, size: 40 },
        ],
        series: [
          {},
          {
            fill: style.getPropertyValue('--accent'),
            paths: uPlot.paths.bars({ size: [0.6, 24] }),
            points: { show: false },
          },
        ],
      },
      [days, amounts],
      element,
    );
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [entries]);
  const total = entries.reduce((sum, { kind, amount }) => (kind === 'charge' ? sum - amount : sum), 0);
  return (
    <figure className={css.chart}>
      <figcaption>
        {formatCredits(Math.round(total * 1000) / 1000)} spent by the entries on this page, by day
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}
