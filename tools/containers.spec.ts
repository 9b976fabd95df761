import { describe, expect, it } from '@jest/globals';
import { rendered as manifestsOf, type Manifest } from './kubernetes/manifest-kit.js';

interface Pods {
  podsOf(all: Manifest[], secrets: object): Map<string, Manifest>;
  replicasOf(all: Manifest[]): Map<string, number>;
  servicesOf(all: Manifest[]): Map<string, (pod: Manifest) => boolean>;
  bytesOf(quantity: string): number;
}
const { bytesOf, podsOf, replicasOf, servicesOf } = (await import(
  './containers/manifests.mjs' as string
)) as Pods;

const SECRETS = {
  'quarry-database': {
    owner_url: 'postgres://owner',
    serving_url: 'postgres://s',
    working_url: 'postgres://w',
  },
  'quarry-keys': { rpc_secrets: 'r', cursor_secret: 'c' },
  'quarry-queues': null,
  'quarry-providers': { HUNTER_KEY: 'h', LOG_LEVEL: 'trace' },
  'quarry-model': null,
};

describe('the pods of manifests', () => {
  const small = (): Manifest[] => manifestsOf('small');
  const podIn = (all: Manifest[], name: string): Manifest =>
    all.find(({ kind, metadata }) => /^(Deployment|Job)$/.test(kind) && metadata.name === name).spec.template
      .spec;

  it('have the variables that a kubelet gives them, and no others', () => {
    const { env } = podsOf(small(), SECRETS).get('services');
    expect(env).toMatchObject({
      DATABASE_URL: 'postgres://w',
      RPC_SECRETS: 'r',
      HUNTER_KEY: 'h',
      // Of the ConfigMap; what stands in env comes before what a whole Secret says.
      LOG_LEVEL: 'info',
      SANDBOX: 'off',
      RPC_PORT: '4000',
    });
    // Both may be missing, and are.
    expect(Object.keys(env)).not.toContain('QUEUE_URL');
    expect(Object.keys(env)).not.toContain('SECRETS_KEY');
  });

  it('have the user, the limits, the ports and the times of theirs', () => {
    const pods = podsOf(small(), SECRETS);
    expect(pods.get('gateway')).toMatchObject({
      target: 'gateway',
      user: { uid: 65532, gid: 65532, fsGroup: 65532 },
      mayGainRights: false,
      dropsAll: true,
      isReadOnly: true,
      mounts: [{ path: '/tmp', bytes: 256 * 2 ** 20 }],
      memoryBytes: 512 * 2 ** 20,
      preStopMs: 5_000,
      graceMs: 90_000,
      probes: {
        startupProbe: { path: '/healthz', port: 9464, periodMs: 2_000, timeoutMs: 3_000, failuresMax: 45 },
        readinessProbe: { path: '/readyz', port: 3000 },
      },
    });
    expect(pods.get('migrate')).toMatchObject({
      kind: 'Job',
      target: 'admin',
      args: ['migrate'],
      graceMs: 30_000,
    });
    expect(bytesOf('1G')).toBe(1e9);
  });

  it('are as many as the overlay says, or its scaler at least', () => {
    expect(Object.fromEntries(replicasOf(manifestsOf('production')))).toMatchObject({
      ...{ gateway: 2, tables: 2, 'runs-agent': 2, services: 2, 'agent-runs': 1, 'service-get-email': 1 },
    });
    expect(replicasOf(small()).get('service-get-email')).toBe(0);
  });

  it('are found by their Services', () => {
    const pods = podsOf(small(), SECRETS);
    const selects = servicesOf(small()).get('tables')!;
    expect([...pods.keys()].filter((name) => selects(pods.get(name)))).toEqual(['tables']);
  });

  it.each<[string, (all: Manifest[]) => unknown, string]>([
    [
      'a Secret that nobody knows',
      (all) => (podIn(all, 'services').containers[0].envFrom[0].secretRef.name = 'x'),
      'the Secret x is not known',
    ],
    [
      'a key that is missing',
      (all) =>
        (podIn(all, 'tables').containers[0].env.find(
          ({ name }: Manifest) => name === 'RPC_SECRETS',
        ).valueFrom.secretKeyRef.key = 'x'),
      'quarry-keys has no x',
    ],
    [
      'a setting that is missing',
      (all) =>
        all.splice(
          all.findIndex(({ kind }) => kind === 'ConfigMap'),
          1,
        ),
      'has no APP_URL',
    ],
    [
      'a variable in a variable',
      (all) => podIn(all, 'tables').containers[0].env.push({ name: 'A', value: '$(B)' }),
      'A refers to another variable',
    ],
    [
      'a variable of the pod',
      (all) => podIn(all, 'tables').containers[0].env.push({ name: 'A', valueFrom: { fieldRef: {} } }),
      'something else than',
    ],
    [
      'a field of the pod',
      (all) => (podIn(all, 'gateway').hostNetwork = true),
      'spec.hostNetwork is not known',
    ],
    [
      'a field of the container',
      (all) => (podIn(all, 'gateway').containers[0].workingDir = '/'),
      'container.workingDir is not known',
    ],
    ['a second container', (all) => podIn(all, 'gateway').containers.push({}), 'it has not one container'],
    [
      'no limit of memory',
      (all) => delete podIn(all, 'gateway').containers[0].resources.limits,
      'no limit of memory',
    ],
    [
      'a volume of another kind',
      (all) => (podIn(all, 'gateway').volumes[0] = { name: 'tmp', hostPath: {} }),
      'is no limited emptyDir',
    ],
    [
      'a probe of another kind',
      (all) => (podIn(all, 'gateway').containers[0].livenessProbe = { exec: {} }),
      'than an answer over HTTP',
    ],
    [
      'a hook of another kind',
      (all) => (podIn(all, 'gateway').containers[0].lifecycle.preStop = { exec: {} }),
      'more than a sleep',
    ],
    [
      'a foreign image',
      (all) => (podIn(all, 'gateway').containers[0].image = 'nginx:1'),
      'nginx:1 is no image',
    ],
  ])('are refused with %s, which would be passed over', (_what, spoil, message) => {
    const all = small();
    spoil(all);
    expect(() => podsOf(all, SECRETS)).toThrow(message);
  });
});
