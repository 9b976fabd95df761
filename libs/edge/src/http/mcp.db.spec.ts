import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { newId, systemCtx } from '@quarry/platform';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { pino } from 'pino';
import { IdentityStore, type CreatedOrganisation } from '../identity/identity.store.js';
import { identityKeySource } from '../keys/identity-key-source.js';
import { MemoryRateLimitStore } from '../limits/memory-rate-limit.store.js';
import { createHttpApi, type HttpApi } from './create-http-api.js';
import { FixedRpc } from './fixed-rpc.fixture.js';
import { HttpApiModule } from './http-api.module.js';

const SUMMARY = {
  title: 'Find an e-mail address',
  description: 'By name and company.',
  category: 'contact',
  mode: 'slow',
};

describe('the tools over HTTP', () => {
  const rpc = new FixedRpc();
  const clients: Client[] = [];
  let test: TestDatabase;
  let org: CreatedOrganisation;
  let api: HttpApi;
  let url: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    const store = new IdentityStore(test.database);
    org = await store.createOrganisation(systemCtx('spec'), { name: 'Spec' });
    const options = {
      rpc,
      keys: identityKeySource(store, () => undefined),
      rateLimits: new MemoryRateLimitStore(),
      rateLimitScale: 1000,
      trustedProxies: [],
      allowedOrigins: ['https://app.example'],
      toolSecrets: ['a secret of the spec, 32 characters and more'] as const,
      onToolFailure: () => undefined,
      readiness: {},
      isStuck: () => false,
      logger: pino({ level: 'silent' }),
    };
    api = await createHttpApi(HttpApiModule.forRootAsync({ inject: [], useFactory: () => options }), options);
    url = `http://127.0.0.1:${await api.listen(0, '127.0.0.1')}/mcp`;
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    rpc.reset();
  });
  afterAll(async () => {
    await api.close();
    await test.drop();
  });

  async function connected(mode: VersionNegotiationOptions['mode']): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
    clients.push(client);
    const requestInit = { headers: { authorization: `Bearer ${org.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }

  it.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', { pin: '2026-07-28' }],
  ] as const)('answers the official client on %s', async (version, mode) => {
    const client = await connected(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()!.length).toBeLessThanOrEqual(600);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['service_discover', 'table_list']));
    rpc.on('services.catalogue.list', () =>
      JSON.stringify({
        items: [
          { name: 'getEmail', ...SUMMARY },
          { name: 'x', ...SUMMARY, title: 'Other', description: '' },
        ],
        next_offset: null,
      }),
    );
    const found = await client.callTool({ name: 'service_discover', arguments: { query: 'e-mails' } });
    expect(found.structuredContent).toMatchObject({ items: [{ name: 'getEmail' }], next_cursor: null });
    rpc.on('tables.tables.find', () => JSON.stringify({ items: [], next_offset: null }));
    const listed = await client.callTool({ name: 'table_list', arguments: { workspace_id: newId('ws') } });
    expect(listed).toMatchObject({ structuredContent: { items: [], next_cursor: null } });
    expect(rpc.calls.at(-1)!.ctx).toMatchObject({ orgId: org.orgId, mode: 'live' });
  });
});
