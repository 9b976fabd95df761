import { describe, expect, it } from '@jest/globals';
import { renderedText } from './kubernetes/manifest-kit.js';

interface Pods {
  podsOf(text: string, secrets: object): Array<{ name: string; env: Record<string, string> }>;
  imageOf(target: string, text: string): object;
}
const { imageOf, podsOf } = (await import('./containers/pod.mjs' as string)) as Pods;

const SECRETS = {
  'quarry-database': { owner_url: 'postgres://o', serving_url: 'postgres://s', working_url: 'postgres://w' },
  'quarry-keys': { rpc_secrets: 'r', cursor_secret: 'c' },
  'quarry-queues': null,
  'quarry-providers': { HUNTER_KEY: 'h', LOG_LEVEL: 'trace' },
  'quarry-model': null,
};
const SMALL = renderedText('small');

describe('simulated pods of the manifests', () => {
  const podOf = (name: string) => podsOf(SMALL, SECRETS).find((pod) => pod.name === name)!;

  it('have the environment variables that a kubelet gives them, and no others', () => {
    const { env } = podOf('services');
    expect(env).toMatchObject({
      DATABASE_URL: 'postgres://w',
      RPC_SECRETS: 'r',
      HUNTER_KEY: 'h',
      // From the ConfigMap; env takes precedence over a whole Secret.
      LOG_LEVEL: 'info',
      SANDBOX: 'off',
      RPC_PORT: '4000',
    });
    // Both are optional, and absent.
    expect(Object.keys(env)).not.toContain('QUEUE_URL');
    expect(Object.keys(env)).not.toContain('ENCRYPTION_KEYS');
  });

  it('have the user, limits, ports and grace periods of the manifest', () => {
    expect(podOf('gateway')).toMatchObject({
      target: 'gateway',
      uid: 65532,
      gid: 65532,
      isReadOnly: true,
      mounts: [{ path: '/tmp', bytes: 256 * 2 ** 20 }],
      memoryBytes: 512 * 2 ** 20,
      probes: [
        { name: 'startupProbe', path: '/healthz', port: 9464, timeoutMs: 3_000 },
        { name: 'readinessProbe', path: '/readyz', port: 3000 },
        { name: 'livenessProbe', path: '/healthz', port: 9464 },
      ],
      readyWithinMs: 140_000,
      preStopMs: 5_000,
      graceMs: 90_000,
    });
    expect(podOf('migrate')).toMatchObject({
      kind: 'Job',
      target: 'admin',
      args: ['migrate'],
      graceMs: 30_000,
    });
  });

  it.each([
    ['an unknown Secret', 'name: quarry-providers', 'name: quarry-vendors', 'quarry-vendors is not known'],
    ['a missing key', 'key: rpc_secrets', 'key: rpc_key', 'quarry-keys has no rpc_key'],
    ['a missing setting', '\n  SANDBOX: "off"', '', 'has no SANDBOX'],
    ['a missing port', 'port: metrics\n', 'port: figures\n', 'a probe asks the port figures'],
    ['another unit of memory', 'memory: 768Mi', 'memory: 768M', '768M is no quantity'],
  ])('are refused with %s', (_what, text, spoilt, message) => {
    expect(SMALL).toContain(text);
    expect(() => podsOf(SMALL.replaceAll(text, spoilt), SECRETS)).toThrow(message);
  });
});

describe('images of the Dockerfile', () => {
  const text = `
FROM small AS base
WORKDIR /app
ENV A=1 B=--b=2
ENV C=3
ENTRYPOINT ["node"]

FROM base AS tables
CMD ["tables.js"]

FROM base AS admin
ENTRYPOINT ["node", "admin.js"]
CMD ["migrate"]
`;

  it.each([
    ['tables', ['node'], ['tables.js']],
    ['admin', ['node', 'admin.js'], ['migrate']],
  ])('start as their target and base image define: %s', (target, entrypoint, command) => {
    const env = { A: '1', B: '--b=2', C: '3' };
    expect(imageOf(target, text)).toEqual({ env, folder: '/app', entrypoint, command });
  });
});
