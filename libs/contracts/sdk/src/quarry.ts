import { Batches } from './batches.js';
import * as Generated from './resources.gen.js';
import { Events, Exports, Go, Services, Tables, Workspaces } from './resources.js';
import { Transport, type QuarryOptions } from './transport.js';
import type { SdkMethods } from './types.gen.js';

/** Classes with the methods that the description of the API names. */
type ResourceClasses = {
  readonly [Name in keyof SdkMethods]: new (
    transport: Transport,
  ) => Readonly<Record<SdkMethods[Name], unknown>>;
};

/** Resources of the API, by their names in {@link Quarry}. */
const RESOURCES = {
  plans: Generated.Plans,
  runs: Generated.Runs,
  workspaces: Workspaces,
  tables: Tables,
  enrichments: Generated.Enrichments,
  exports: Exports,
  exclusions: Generated.Exclusions,
  batches: Batches,
  jobs: Generated.Jobs,
  services: Services,
  credits: Generated.Credits,
  go: Go,
  events: Events,
  providers: Generated.Providers,
  monitors: Generated.Monitors,
  webhooks: Generated.Webhooks,
  destinations: Generated.Destinations,
  mailboxes: Generated.Mailboxes,
  sequences: Generated.Sequences,
  contacts: Generated.Contacts,
  inbox: Generated.Inbox,
} satisfies ResourceClasses;

type Resources = { readonly [Name in keyof typeof RESOURCES]: InstanceType<(typeof RESOURCES)[Name]> };

// The class has the resources that its constructor gives it: a list of fields would say all of them a second time.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unsafe-declaration-merging
export interface Quarry extends Resources {}

/**
 * The API of Quarry.
 * @example
 * const quarry = new Quarry({ apiKey, baseUrl: 'https://quarry.example.com' });
 * const { id } = await quarry.runs.create({ prompt: '20 fintech companies in London' });
 * const run = await quarry.runs.wait(id);
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Quarry {
  /** @throws TypeError without a key, or with an address that is none */
  constructor(options: QuarryOptions = {}) {
    const transport = new Transport(options);
    for (const [name, Resource] of Object.entries(RESOURCES))
      Object.assign(this, { [name]: new Resource(transport) });
  }
}
