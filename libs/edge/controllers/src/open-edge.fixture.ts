import type { DynamicModule } from '@nestjs/common';
import { identityKeySource, IdentityStore, SessionFinder } from '@quarry/identity';
import type { TestDatabase } from '@quarry/testing';
import { createHttpApi, type HttpApi, type HttpServerOptions, MemoryRateLimitStore } from '@quarry/http';
import { pino } from 'pino';
import { changeSource } from './changes/tenant-changes.js';
import { eventSource } from './events/event-source.js';
import type { FixedRpc } from './fixed-rpc.fixture.js';
import { HttpApiModule } from './http-api.module.js';
import type { HttpApiOptions } from './http-api.options.js';

export const TOOL_SECRETS = ['a secret of the spec, 32 characters and more'] as const;

/**
 * Serves the edge over HTTP with fixed responses behind it, with keys in a real database and a rate limit that no spec reaches.
 * @param changed changes the module before the application is created from it
 * @returns the edge, and its port on the loopback address
 */
export async function openEdge(
  { database }: TestDatabase,
  rpc: FixedRpc,
  overrides: Partial<HttpApiOptions & HttpServerOptions> = {},
  changed = (module: DynamicModule): DynamicModule => module,
): Promise<{ api: HttpApi; port: number }> {
  const options = {
    rpc,
    keys: identityKeySource(new IdentityStore(database), () => undefined),
    findSession: (token: string) => new SessionFinder(database).findSession(token),
    changes: changeSource(database, new SessionFinder(database)),
    events: eventSource(database, new IdentityStore(database), new SessionFinder(database)),
    onChangesFailure: () => undefined,
    appUrl: undefined,
    webFolder: null,
    rateLimits: new MemoryRateLimitStore(),
    rateLimitScale: 1000,
    trustedProxies: [],
    allowedOrigins: [],
    toolSecrets: TOOL_SECRETS,
    onToolFailure: () => undefined,
    onProtocolFault: () => undefined,
    readiness: {},
    isStuck: () => false,
    logger: pino({ level: 'silent' }),
    ...overrides,
  };
  const module = changed(HttpApiModule.forRootAsync({ inject: [], useFactory: () => options }));
  const api = await createHttpApi(module, options);
  return { api, port: await api.listen(0, '127.0.0.1') };
}
