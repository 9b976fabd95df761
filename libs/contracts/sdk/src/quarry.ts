import { Batches } from './batches.js';
import { defineResource, type Calls, type ResourceOperations } from './resource.js';
import { RESOURCES } from './resources.gen.js';
import { Events, Exports, Go, Tables, Workspaces } from './resources.js';
import { Transport, type QuarryOptions } from './transport.js';
import type { SdkMethods } from './types.gen.js';

type ResourceClass<Methods> = new (transport: Transport) => Methods;

/** Resources with hand-written methods, by their names in {@link Quarry}. */
const OWN = {
  batches: Batches,
  events: Events,
  exports: Exports,
  go: Go,
  tables: Tables,
  workspaces: Workspaces,
} satisfies { [Name in keyof SdkMethods]?: ResourceClass<Readonly<Record<SdkMethods[Name], unknown>>> };

type Own = { readonly [Name in keyof typeof OWN]: InstanceType<(typeof OWN)[Name]> };
type Generated = {
  readonly [Name in keyof typeof RESOURCES]: (typeof RESOURCES)[Name] extends ResourceOperations<
    infer Methods
  >
    ? Methods & { readonly calls: Calls }
    : never;
};
type Resources = Own & Omit<Generated, keyof Own>;

// The class has the resources that its constructor gives it: a list of fields would say all of them a second time.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unsafe-declaration-merging
export interface Quarry extends Resources {}

/**
 * Client of the Quarry API.
 * @example
 * const quarry = new Quarry({ apiKey, baseUrl: 'https://quarry.example.com' });
 * const { id } = await quarry.runs.create({ prompt: '20 fintech companies in London' });
 * const run = await quarry.runs.wait(id);
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Quarry {
  /** @throws TypeError without a key, or with an invalid address */
  constructor(options: QuarryOptions = {}) {
    const transport = new Transport(options);
    const own: Readonly<Record<string, ResourceClass<unknown>>> = OWN;
    for (const [name, operations] of Object.entries<ResourceOperations<object>>(RESOURCES))
      Object.assign(this, { [name]: new (own[name] ?? defineResource(operations))(transport) });
  }
}
