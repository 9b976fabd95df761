import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '@quarry/app';
import { rpcSecurityOf, withRpcSecurity } from './rpc-security.env.js';

class ServingEnv extends withRpcSecurity(class {}) {}
const security = (source: Record<string, string>) => rpcSecurityOf(loadEnv(ServingEnv, source));
const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];

describe('the security of internal calls', () => {
  it('must be configured: without a secret a process does not start, and says how to create one', () => {
    expect(() => security({})).toThrow(/RPC_SECRETS is required.*node -p.*RPC_AUTH=off/);
    expect(() => security({ RPC_SECRETS: `${NEW},short` })).toThrow('32 characters or more');
    expect(() => security({ RPC_AUTH: 'perhaps' })).toThrow('RPC_AUTH must be on or off');
  });

  it('is a list of secrets, certificates, or explicitly none', () => {
    expect(security({ RPC_SECRETS: `${NEW}, ${OLD}` })).toEqual({ secrets: [NEW, OLD], tls: null });
    expect(security({ RPC_AUTH: 'off', RPC_SECRETS: NEW })).toEqual({ secrets: [], tls: null });
    expect(security({ RPC_AUTH: 'off' })).toEqual({ secrets: [], tls: null });
  });

  it('names every missing certificate file', () => {
    expect(() => security({ RPC_TLS_CERT: '/nowhere/cert.pem' })).toThrow(/RPC_TLS_KEY.*RPC_TLS_CA/s);
    const files = { RPC_TLS_CERT: '/nowhere/c', RPC_TLS_KEY: '/nowhere/k', RPC_TLS_CA: '/nowhere/a' };
    expect(() => security(files)).toThrow(/RPC_TLS_CERT: cannot be read.*RPC_TLS_KEY.*RPC_TLS_CA/s);
  });
});
