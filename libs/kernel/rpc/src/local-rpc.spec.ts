import { describe, expect, it } from '@jest/globals';
import { systemCtx, type Ctx } from '@quarry/app';
import { LocalRpcTransport } from './local-rpc.transport.js';
import { listening } from './rpc.fixture.js';

const API = {
  slow: { pattern: 'runs.spec.slow', effect: 'write', timeoutMs: 50 } as const,
  patient: { pattern: 'tables.spec.patient', effect: 'read', timeoutMs: 60_000 } as const,
  elsewhere: { pattern: 'services.spec.slow', effect: 'read', timeoutMs: 50 } as const,
};
const never = (): Promise<never> => new Promise(() => undefined);
let received: Ctx | null = null;
const transport = await listening(new LocalRpcTransport([API]), {
  api: API,
  handlers: {
    slow: (ctx) => {
      received = ctx;
      return never();
    },
    patient: never,
    elsewhere: never,
  },
});
const ctx = systemCtx('spec', 'org_a');

describe('a call within the process', () => {
  it('times out like one over TCP, and its handler knows the remaining time', async () => {
    await expect(transport.call(ctx, API.slow, null)).rejects.toMatchObject({ code: 'runs_unavailable' });
    expect(received?.timeoutMs).toBe(50);
    await expect(transport.call(ctx, API.elsewhere, null)).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it('times out with its caller, if that is sooner', async () => {
    await expect(transport.call({ ...ctx, timeoutMs: 20 }, API.patient, null)).rejects.toMatchObject({
      code: 'runs_unavailable',
    });
  });
});
