import { describe, expect, it } from '@jest/globals';
import { type EnvError, loadEnv } from '@quarry/app';
import { webOf, withOutbound } from './outbound.env.js';

class SampleEnv extends withOutbound(Object) {}

function faultsOf(variables: Record<string, string>): string[] {
  try {
    loadEnv(SampleEnv, variables);
    return [];
  } catch (error) {
    return (error as EnvError).faults.map((fault) => fault.split(':')[0]!);
  }
}

describe('network settings in the environment', () => {
  it('have defaults: standard SMTP port, official job boards, no news feed', () => {
    expect(webOf(loadEnv(SampleEnv, {}))).toEqual({
      allowHosts: [],
      dnsServers: [],
      mail: { port: 25, helo: null, from: '' },
      boardUrls: {},
      newsFeedUrl: null,
      browser: null,
    });
    const { browser } = webOf(loadEnv(SampleEnv, { CHROMIUM_PATH: 'auto' }));
    expect(browser).toEqual({ path: null, isSandboxed: true });
  });

  it('are applied as given', () => {
    const env = loadEnv(SampleEnv, {
      FETCH_ALLOW_HOSTS: 'feeds.internal:8080, [::1]:80',
      DNS_CONTROL_NAMES: 'internal., dc1.internal',
      SMTP_PROBE_PORT: '2525',
      SMTP_PROBE_HELO: 'probe.quarry.example',
      SMTP_PROBE_FROM: 'probe@quarry.example',
      JOB_BOARD_URLS: 'lever=http://127.0.0.1:1, recruitee=https://{company}.example',
      NEWS_FEED_URL: 'http://feeds.internal:8080/?q={query}',
      CHROMIUM_PATH: process.execPath,
      CHROMIUM_SANDBOX: 'off',
    });
    expect(webOf(env)).toEqual({
      allowHosts: ['feeds.internal:8080', '[::1]:80'],
      dnsServers: [],
      controlNames: ['internal.', 'dc1.internal'],
      mail: { port: 2525, helo: 'probe.quarry.example', from: 'probe@quarry.example' },
      boardUrls: { lever: 'http://127.0.0.1:1', recruitee: 'https://{company}.example' },
      newsFeedUrl: 'http://feeds.internal:8080/?q={query}',
      browser: { path: process.execPath, isSandboxed: false },
    });
    expect(webOf(loadEnv(SampleEnv, { SMTP_PROBE: 'off', CHROMIUM_PATH: 'off' }))).toMatchObject({
      mail: null,
      browser: null,
    });
  });

  it.each([
    ['FETCH_ALLOW_HOSTS', 'localhost'],
    ['DNS_CONTROL_NAMES', 'two words'],
    ['CHROMIUM_PATH', '/missing/chromium'],
    ['SMTP_PROBE', 'perhaps'],
    ['SMTP_PROBE_PORT', '0'],
    ['SMTP_PROBE_HELO', 'two words'],
    ['SMTP_PROBE_FROM', 'nobody'],
    ['JOB_BOARD_URLS', 'monster=https://a.example'],
    ['JOB_BOARD_URLS', 'lever=ftp://a.example'],
    ['NEWS_FEED_URL', 'https://a.example/feed'],
  ])('%s may not be "%s"', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([name]);
  });
});
