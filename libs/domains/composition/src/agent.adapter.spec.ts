import { describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { DirectCallsAdapter } from './agent.adapter.js';

describe('a refused direct call of a run', () => {
  it.each([
    ['insufficient_credits', 'spent'],
    ['usage_limit', 'spent'],
    ['idempotency_conflict', 'later'],
    ['rate_limited', 'later'],
    ['upstream_error', 'later'],
    ['internal_error', 'later'],
    ['provider_error', 'refused'],
    ['validation_error', 'refused'],
  ] as const)('maps error %s to the outcome %s', async (code, kind) => {
    const rpc = { call: () => Promise.reject(new AppError(code, 'Why.')) };
    const call = { service: 'findDomain', input: {}, key: 'k', runId: 'run_1', rowIndex: 0 };
    const ctx = { orgId: 'org_1', keyId: null, mode: 'live', requestId: 'spec', timeoutMs: null } as const;
    const outcome = await new DirectCallsAdapter(rpc as never).callService(ctx, call);
    expect(outcome).toEqual({ kind, error: { code, message: 'Why.' } });
  });
});
