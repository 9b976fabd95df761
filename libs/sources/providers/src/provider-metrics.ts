import { addCounter, addGauge, type MetricsRegistry } from '@quarry/app';
import type { ProviderMetrics } from '@quarry/engine';

/**
 * Registers the vendors' metrics of this process. Alert on `quarry_provider_breaker_open` (a vendor is down), on searches
 * that wait while few calls are open (the vendor requested a pause), and on refusals.
 */
export function addProviderMetrics(registry: MetricsRegistry, read: () => ProviderMetrics[]): void {
  const each = (value: (metrics: ProviderMetrics) => number) => () =>
    Promise.resolve(
      read().map((metrics) => ({ labels: { provider: metrics.provider }, value: value(metrics) })),
    );
  addCounter(registry, {
    name: 'quarry_provider_calls_total',
    help: 'Calls of providers, by outcome.',
    labels: ['provider', 'outcome'],
    read: () =>
      Promise.resolve(
        read().flatMap(({ provider, calls }) =>
          [...calls].map(([outcome, value]) => ({ labels: { provider, outcome }, value })),
        ),
      ),
  });
  addCounter(registry, {
    name: 'quarry_provider_retries_total',
    help: 'Calls of providers that were retries.',
    labels: ['provider'],
    read: each(({ retries }) => retries),
  });
  addCounter(registry, {
    name: 'quarry_provider_refusals_total',
    help: 'Searches that ended without a call, because the breaker was open, the pause too long, or the wait for a turn too long.',
    labels: ['provider', 'reason'],
    read: () =>
      Promise.resolve(
        read().flatMap(({ provider, refusals }) =>
          Object.entries(refusals).map(([reason, value]) => ({ labels: { provider, reason }, value })),
        ),
      ),
  });
  addCounter(registry, {
    name: 'quarry_provider_cleaned_strings_total',
    help: 'Strings with NUL or lone surrogates in responses of providers, which were replaced.',
    labels: ['provider'],
    read: each(({ cleanedStrings }) => cleanedStrings),
  });
  addGauge(registry, {
    name: 'quarry_provider_calls_open',
    help: 'Open calls of providers.',
    labels: ['provider'],
    read: each(({ open }) => open),
  });
  addGauge(registry, {
    name: 'quarry_provider_searches_waiting',
    help: 'Searches that wait for a call.',
    labels: ['provider'],
    read: each(({ waiting }) => waiting),
  });
  addGauge(registry, {
    name: 'quarry_provider_breaker_open',
    help: 'Whether the circuit breaker refuses calls: 0 or 1.',
    labels: ['provider'],
    read: each(({ isBreakerOpen }) => Number(isBreakerOpen)),
  });
}
