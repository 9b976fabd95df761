import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { CreditUsage } from '../api/resources';
import { formatCredits } from '../ui/format';
import css from './credits.module.css';

const DAY_S = 86_400;
const HEIGHT = 136;
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAYS_SHOWN = 30;

/** @returns spent credits of each day, oldest first: days as seconds since 1970, and amounts; a day without charges has 0 */
function spentByDay(sums: CreditUsage['items'], since: string): { days: number[]; amounts: number[] } {
  const byDay = new Map(sums.map(({ key, credits }) => [key, credits]));
  const first = Date.parse(since) / 1000;
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => first + index * DAY_S);
  return {
    days,
    amounts: days.map((day) => byDay.get(new Date(day * 1000).toISOString().slice(0, 10)) ?? 0),
  };
}

/** @returns the next of 1, 2, 5, 10, 20, 50 … that is not below the amount: the top of the axis, which has a label */
function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, amount)));
  return power * ([1, 2, 5].find((step) => step * power >= amount) ?? 10);
}

/** Bars of what each day has cost; the line above them says the sum. */
export function SpendChart({ days: sums, since }: { days: CreditUsage['items']; since: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element || !uPlot.paths.bars) return;
    const style = getComputedStyle(document.documentElement);
    const muted = style.getPropertyValue('--muted');
    const { days, amounts } = spentByDay(sums, since);
    const axis = { stroke: muted, grid: { show: false }, ticks: { show: false }, font: '12px sans-serif' };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, _min, max) => [0, roundUp(max)] } },
        axes: [
          { ...axis, size: 28, gap: 8, values: (_, days) => days.map((day) => DAY.format(day * 1000)) },
          { ...axis, size: 40, grid: { stroke: style.getPropertyValue('--line'), width: 1 } },
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
  }, [sums, since]);
  const total = sums.reduce((sum, { credits }) => sum + credits, 0);
  return (
    <figure className={css.chart}>
      <figcaption>{formatCredits(Math.round(total * 1000) / 1000)}, by day in UTC</figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}
