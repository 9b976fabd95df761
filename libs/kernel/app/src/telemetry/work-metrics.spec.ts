import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from '../memory/byte-budget.js';
import { WorkMetrics } from './work-metrics.js';

describe('metrics of work in a process', () => {
  it('count leases by outcome, and report how much memory large bodies take', async () => {
    const metrics = new WorkMetrics();
    metrics.nameProcess('spec');
    metrics.countLease('line', 'claimed', 25);
    metrics.countLease('line', 'ended', 24);
    metrics.countLease('line', 'lost', 0);
    metrics.countLease('run', 'reaped');
    const budget = new ByteBudget(100);
    metrics.watchBudget('imports', budget);
    budget.takeBytes(70);
    budget.takeBytes(31);
    const text = await metrics.registry.metrics();
    expect(text.split('\n').filter((line) => line.startsWith('quarry_'))).toEqual([
      'quarry_leases_total{work="line",event="claimed",app="spec"} 25',
      'quarry_leases_total{work="line",event="ended",app="spec"} 24',
      'quarry_leases_total{work="run",event="reaped",app="spec"} 1',
      'quarry_body_budget_bytes{body="imports",app="spec"} 100',
      'quarry_body_budget_taken_bytes{body="imports",app="spec"} 70',
      'quarry_body_budget_refusals_total{body="imports",app="spec"} 1',
    ]);
  });
});
