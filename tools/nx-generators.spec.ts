import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { FsTree } from 'nx/src/generators/tree.js';

type Generator = (tree: FsTree, options: Record<string, string>) => Promise<void>;
const generator = async (name: string): Promise<Generator> =>
  ((await import(`./nx-generators/${name}.mjs`)) as { default: Generator }).default;
const migration = await generator('migration');
const provider = await generator('provider');
const queue = await generator('queue');
const service = await generator('service');
const fastService = await generator('fast-service');
const endpoint = await generator('endpoint');

/** Returns the checkout as a tree, which is never written. */
const tree = () => new FsTree(dirname(dirname(fileURLToPath(import.meta.url))), false);
const changesOf = (changed: FsTree) =>
  Object.fromEntries(changed.listChanges().map(({ path, content }) => [path, String(content)]));

describe('a generator', () => {
  it('adds a migration after the last one', async () => {
    const changed = tree();
    await migration(changed, { name: 'add-nothing' });
    const changes = changesOf(changed);
    const all = changes['libs/kernel/postgres/src/migrations/all.ts']!;
    const [, className] = /\{ (AddNothing\d{13}) \} from [^\n]+\n$/.exec(all)!;
    const numbers = [...all.matchAll(/from '\.\/(\d{13})-/g)].map(([, number]) => Number(number));
    expect(className).toBe(`AddNothing${Math.max(...numbers)}`);
    const [path] = Object.keys(changes).filter((each) => each.endsWith('add-nothing.migration.ts'));
    expect(changes[path!]).toContain(`readonly name = '${className}'`);
  });

  it('adds a service with its queue and catalogue entry', async () => {
    const changed = tree();
    await service(changed, { name: 'findPatents', category: 'research' });
    const changes = changesOf(changed);
    expect(changes['libs/contracts/dto/src/queues/queue-catalogue.ts']).toContain(
      "'service-find-patents': lines,",
    );
    expect(changes['libs/contracts/service-catalog/src/service-catalogue.ts']).toMatch(
      /import \{ findPatents \} from '\.\/services\/find-patents\.service\.js';[^]*\n {2}findPatents,\n\} as const;/,
    );
    expect(changes['libs/contracts/service-catalog/src/services/find-patents.service.ts']).toContain(
      "queue: 'service-find-patents'",
    );
  });

  it('adds a fast service with its file, catalogue entry and sandbox answer', async () => {
    const changed = tree();
    await fastService(changed, { name: 'findAwards' });
    const changes = changesOf(changed);
    expect(Object.keys(changes).sort()).toEqual([
      'libs/contracts/service-catalog/src/services/fast.services.ts',
      'libs/contracts/service-catalog/src/services/find-awards.lookup.ts',
      'libs/sources/sandbox/src/services/sandbox-lookup.provider.ts',
    ]);
    expect(changes['libs/contracts/service-catalog/src/services/find-awards.lookup.ts']).toContain(
      'promptPattern: /\\bawards\\b/i',
    );
    expect(changes['libs/contracts/service-catalog/src/services/fast.services.ts']).toMatch(
      /import \{ findAwards \} from '\.\/find-awards\.lookup\.js';[^]*\n {2}findAwards,\n\} as const/,
    );
    expect(changes['libs/sources/sandbox/src/services/sandbox-lookup.provider.ts']).toMatch(
      /\n {4}findAwards: \(\{ input, company \}\) =>[^]*?\n {2}\};/,
    );
  });

  it('adds an endpoint with its route, call and handler', async () => {
    const changed = tree();
    await endpoint(changed, { name: 'getWorkspaceActivity', route: 'v1/workspaces/:id/activity' });
    const changes = changesOf(changed);
    const [handler] = Object.keys(changes).filter((path) => path.startsWith('libs/domains/'));
    expect(Object.keys(changes)).toHaveLength(3);
    expect(changes['libs/edge/controllers/src/api/workspaces.controller.ts']).toMatch(
      /client: \{ sdk: 'workspaces\.getActivity' \},[^]*@Get\(':id\/activity'\)[^]*TABLES_RPC\.getWorkspaceActivity/,
    );
    expect(changes['libs/contracts/dto/src/rpc/tables.rpc.ts']).toMatch(
      /getWorkspaceActivity: defineMethod<[^]{0,99}'tables\.workspaces\.activity',\s*'read'/,
    );
    expect(changes[handler!]).toContain('@Answers(TABLES_RPC.getWorkspaceActivity)');
  });

  it('adds a vendor at the end of the default order', async () => {
    const changed = tree();
    await provider(changed, { name: 'acme-data', service: 'get-email' });
    const changes = changesOf(changed);
    expect(changes['libs/sources/vendors/src/vendors.ts']).toMatch(
      /import \{ acmeData \} from '\.\/acme-data\.vendor\.js';[^]*\n {2}acmeData,\n\];/,
    );
    const definition = changes['libs/sources/vendors/src/acme-data.vendor.ts'];
    expect(definition).toContain("getEmail: answers('getEmail'");
    expect(definition).toContain("env: 'ACME_DATA_KEY'");
  });

  it('overwrites nothing, and accepts no name that is invalid in code', async () => {
    await expect(queue(tree(), { name: 'service-get-email' })).rejects.toThrow('There is a queue');
    await expect(service(tree(), { name: 'getEmail', category: 'contact' })).rejects.toThrow(
      'There is a queue',
    );
    await expect(endpoint(tree(), { name: 'getNothing', route: 'v1/nothing/:id/more' })).rejects.toThrow(
      'No controller',
    );
    await expect(migration(tree(), { name: '1; DROP' })).rejects.toThrow('cannot be a name');
  });
});
