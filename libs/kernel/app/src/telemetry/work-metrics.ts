import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { ByteBudget } from '../memory/byte-budget.js';
import { addCounter, addGauge } from './metrics.js';

/** Kinds of work under a lease. */
export type LeasedWork =
  'line' | 'run' | 'enrichment' | 'go_run' | 'webhook' | 'destination' | 'mailbox' | 'inbox';

/**
 * Events of a lease: claimed; ended with its work; handed back in an orderly shutdown; lost, as noticed by its holder;
 * reaped from a holder that is gone. `delivered_again` is work without a lease whose message was lost and sent again.
 */
export type LeaseEvent = 'claimed' | 'ended' | 'handed_back' | 'lost' | 'reaped' | 'delivered_again';

/** Metrics of the leased work of this process, and of the memory used by large bodies. */
@Injectable()
export class WorkMetrics {
  readonly registry = new Registry();
  private readonly budgets = new Map<string, ByteBudget>();
  private readonly leases = new Counter({
    name: 'quarry_leases_total',
    help: 'Leases of jobs, runs, enrichments, Go runs, webhooks, destinations, mailboxes and inboxes in this process, by outcome.',
    labelNames: ['work', 'event'] as const,
    registers: [this.registry],
  });

  constructor() {
    const each = (value: (budget: ByteBudget) => number) => () =>
      Promise.resolve(
        [...this.budgets].map(([body, budget]) => ({ labels: { body }, value: value(budget) })),
      );
    addGauge(this.registry, {
      name: 'quarry_body_budget_bytes',
      help: 'Memory budget of this process for large bodies.',
      labels: ['body'],
      read: each(({ bytes }) => bytes),
    });
    addGauge(this.registry, {
      name: 'quarry_body_budget_taken_bytes',
      help: 'Memory that large bodies use.',
      labels: ['body'],
      read: each(({ taken }) => taken),
    });
    addCounter(this.registry, {
      name: 'quarry_body_budget_refusals_total',
      help: 'Large bodies refused because the memory budget was used up.',
      labels: ['body'],
      read: each(({ refusals }) => refusals),
    });
  }

  /** @param app name of the process in its metrics */
  nameProcess(app: string): void {
    this.registry.setDefaultLabels({ app });
  }

  /** @param times number of leases; 0 counts nothing */
  countLease(work: LeasedWork, event: LeaseEvent, times = 1): void {
    if (times > 0) this.leases.inc({ work, event }, times);
  }

  /** @param body kind of the bodies, a constant of this program */
  watchBudget(body: string, budget: ByteBudget): void {
    this.budgets.set(body, budget);
  }
}
