import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '@quarry/app';
import { GatewayEnv } from './gateway.env.js';

const GIVEN = {
  DATABASE_URL: 'postgres://quarry_serving:word@my_database:5432/quarry',
  REDIS_URL: 'redis://:word@my_redis:6379/0',
  RPC_SECRETS: 's'.repeat(32),
  TABLES_RPC_URL: 'tcp://tables:4000, tcp://[::1]:65535',
  RUNS_RPC_URL: 'tcp://runs:1',
  SERVICES_RPC_URL: 'tcp://my_services:4000',
};

describe('the environment variables of the gateway', () => {
  it('accept addresses that other processes accept, such as names with an underscore', () => {
    expect(loadEnv(GatewayEnv, GIVEN)).toMatchObject({ ...GIVEN, RPC_SECRETS: [GIVEN.RPC_SECRETS] });
  });

  it('accept the URL of the web application with a trailing slash, as other processes do', () => {
    const { APP_URL } = loadEnv(GatewayEnv, { ...GIVEN, APP_URL: 'https://quarry.example/app/' });
    expect(APP_URL).toBe('https://quarry.example/app');
  });

  it.each(['0', '65536', '99999', '04000'])('report an upstream whose port is %s', (port) => {
    const wrong = { ...GIVEN, RUNS_RPC_URL: `tcp://a:4000,tcp://b:${port}` };
    expect(() => loadEnv(GatewayEnv, wrong)).toThrow(/RUNS_RPC_URL must be tcp:/);
  });

  it('accept every log level that other processes accept, since compose and Kubernetes set the same for all', () => {
    expect(loadEnv(GatewayEnv, { ...GIVEN, LOG_LEVEL: 'silent' }).LOG_LEVEL).toBe('silent');
  });

  it('say how an address is written, and do not repeat its secret', () => {
    const wrong = { ...GIVEN, DATABASE_URL: 'postgres://quarry_serving:p#ss@host/quarry' };
    expect(() => loadEnv(GatewayEnv, wrong)).toThrow(/DATABASE_URL must be an address such as (?!.*p#ss)/s);
  });
});
