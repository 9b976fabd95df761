import { addCounter, addGauge, type MetricsRegistry } from '@quarry/app';
import type { ModelMetricsRead } from './model-metrics.js';

/**
 * Registers the language model's metrics of this process. Alert on `quarry_model_breaker_open` (the model is down), waiting
 * requests, and the cost.
 */
export function addModelMetrics(registry: MetricsRegistry, read: () => ModelMetricsRead): void {
  const one = (value: (metrics: ModelMetricsRead) => number) => () =>
    Promise.resolve([{ labels: {}, value: value(read()) }]);
  const byOutcome = (of: (metrics: ModelMetricsRead) => ReadonlyMap<string, number>) => () =>
    Promise.resolve([...of(read())].map(([outcome, value]) => ({ labels: { outcome }, value })));
  addCounter(registry, {
    name: 'quarry_model_asks_total',
    help: 'Calls of the language model, by outcome.',
    labels: ['outcome'],
    read: byOutcome(({ asks }) => asks),
  });
  addCounter(registry, {
    name: 'quarry_model_seconds_total',
    help: 'Duration of calls of the language model, including retries and waits, by outcome.',
    labels: ['outcome'],
    read: byOutcome(({ seconds }) => seconds),
  });
  const counters = [
    ['retries_total', 'Requests that repeated another one.', ({ retries }) => retries],
    ['input_tokens_total', 'Tokens that the model has read.', ({ inputTokens }) => inputTokens],
    ['output_tokens_total', 'Tokens that the model has written.', ({ outputTokens }) => outputTokens],
    [
      'cost_usd_total',
      'List price of these tokens; nothing for a model without a known price.',
      ({ costMicroUsd }) => costMicroUsd / 1e6,
    ],
  ] as const satisfies ReadonlyArray<readonly [string, string, (metrics: ModelMetricsRead) => number]>;
  for (const [name, help, value] of counters)
    addCounter(registry, { name: `quarry_model_${name}`, help, labels: [], read: one(value) });
  const gauges = [
    ['asks_open', 'Asks that are open.', ({ open }) => open],
    ['asks_waiting', 'Asks that wait for their turn.', ({ waiting }) => waiting],
    [
      'breaker_open',
      'Whether asks are refused because too many failed, 0 or 1.',
      ({ isBreakerOpen }) => Number(isBreakerOpen),
    ],
  ] as const satisfies ReadonlyArray<readonly [string, string, (metrics: ModelMetricsRead) => number]>;
  for (const [name, help, value] of gauges)
    addGauge(registry, { name: `quarry_model_${name}`, help, labels: [], read: one(value) });
}
