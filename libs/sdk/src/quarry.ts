import { Batches, Jobs } from './batches.js';
import {
  Credits,
  Enrichments,
  Events,
  Exclusions,
  Exports,
  Go,
  Monitors,
  Plans,
  Providers,
  Runs,
  Services,
  Tables,
  Webhooks,
  Destinations,
  Workspaces,
} from './resources.js';
import { Transport, type QuarryOptions } from './transport.js';

/**
 * The API of Quarry.
 * @example
 * const quarry = new Quarry({ apiKey, baseUrl: 'https://quarry.example.com' });
 * const { id } = await quarry.runs.create({ prompt: '20 fintech companies in London' });
 * const run = await quarry.runs.wait(id);
 */
export class Quarry {
  readonly plans: Plans;
  readonly runs: Runs;
  readonly workspaces: Workspaces;
  readonly tables: Tables;
  readonly enrichments: Enrichments;
  readonly exports: Exports;
  readonly exclusions: Exclusions;
  readonly batches: Batches;
  readonly jobs: Jobs;
  readonly services: Services;
  readonly credits: Credits;
  readonly go: Go;
  readonly events: Events;
  readonly providers: Providers;
  readonly monitors: Monitors;
  readonly webhooks: Webhooks;
  readonly destinations: Destinations;

  /** @throws TypeError without a key, or with an address that is none */
  constructor(options: QuarryOptions = {}) {
    const transport = new Transport(options);
    this.plans = new Plans(transport);
    this.runs = new Runs(transport);
    this.workspaces = new Workspaces(transport);
    this.tables = new Tables(transport);
    this.enrichments = new Enrichments(transport);
    this.exports = new Exports(transport);
    this.exclusions = new Exclusions(transport);
    this.batches = new Batches(transport);
    this.jobs = new Jobs(transport);
    this.services = new Services(transport);
    this.credits = new Credits(transport);
    this.go = new Go(transport);
    this.events = new Events(transport);
    this.providers = new Providers(transport);
    this.monitors = new Monitors(transport);
    this.webhooks = new Webhooks(transport);
    this.destinations = new Destinations(transport);
  }
}
