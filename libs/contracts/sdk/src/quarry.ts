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
  Mailboxes,
  Sequences,
  Contacts,
  Inbox,
  Workspaces,
} from './resources.js';
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
  plans: Plans,
  runs: Runs,
  workspaces: Workspaces,
  tables: Tables,
  enrichments: Enrichments,
  exports: Exports,
  exclusions: Exclusions,
  batches: Batches,
  jobs: Jobs,
  services: Services,
  credits: Credits,
  go: Go,
  events: Events,
  providers: Providers,
  monitors: Monitors,
  webhooks: Webhooks,
  destinations: Destinations,
  mailboxes: Mailboxes,
  sequences: Sequences,
  contacts: Contacts,
  inbox: Inbox,
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
