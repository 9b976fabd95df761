import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

interface Groups {
  limitsOf(version: number, bytes: number): Record<string, number>;
  removeGroups(folder: string, isChosen: (name: string) => boolean, withinMs: number): string[];
  isOfTheDead(name: string, pattern: RegExp, isThere: (pid: number) => boolean): boolean;
}
const { limitsOf, removeGroups, isOfTheDead } = (await import(
  './containers/memory-group.mjs' as string
)) as Groups;

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
    expect(Object.keys(env)).not.toContain('ENCRYPTION_KEYS');
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
        startupProbe: { path: '/healthz', port: 9464, periodMs: 2_000, timeoutMs: 3_000, failuresMax: 70 },
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

describe('the groups of containers', () => {
  const folders: string[] = [];
  const groupsIn = (...names: string[]): string => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-groups-'));
    folders.push(folder);
    for (const name of names) mkdirSync(join(folder, name));
    return folder;
  };
  afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

  it('are removed without an error where one is still in use, and no others', () => {
    const folder = groupsIn('quarry-1-a', 'quarry-1-b', 'quarry-2-a');
    writeFileSync(join(folder, 'quarry-1-a', 'used'), '');
    expect(removeGroups(folder, (name) => name.startsWith('quarry-1-'), 0)).toEqual(['quarry-1-a']);
    rmSync(join(folder, 'quarry-1-a', 'used'));
    expect(removeGroups(folder, (name) => name.startsWith('quarry-1-'), 0)).toEqual([]);
    expect(existsSync(join(folder, 'quarry-2-a'))).toBe(true);
  });

  it.each<[string, boolean]>([
    ['quarry-7-gateway-1', true],
    ['quarry-8-gateway-1', false],
    ['quarry-trial-7', false],
    ['user.slice', false],
  ])('called %s are those of a process that is there no more: %s', (name, isDead) => {
    expect(isOfTheDead(name, /^quarry-(\d+)-/, (pid) => pid !== 7)).toBe(isDead);
  });

  it.each([
    [1, { 'memory.limit_in_bytes': 4096, 'memory.memsw.limit_in_bytes': 4096 }],
    [2, { 'memory.max': 4096, 'memory.swap.max': 0 }],
  ])('of version %d have no swap beyond the limit', (version, limits) => {
    expect(limitsOf(version, 4096)).toEqual(limits);
  });
});

describe('a container that is being started', () => {
  it('can be ended before it is known which process it is', async () => {
    const { Container } = (await import('./containers/container.mjs' as string)) as {
      Container: { prototype: { kill(): void } };
    };
    const running = { exitCode: null, signalCode: null };
    const container = Object.assign(Object.create(Container.prototype) as { kill(): void }, {
      ...{ child: running, pid: null, isUnwanted: false },
    });
    container.kill();
    expect(container.isUnwanted).toBe(true);
  });
});

const fault = new Error('no such thing');
const failing: () => void = () => {
  throw fault;
};

describe('a cluster', () => {
  it('ends every part, whatever becomes of another, and says which could not be ended', async () => {
    const { Cluster } = (await import('./containers/cluster.mjs' as string)) as {
      Cluster: { prototype: { end(): Promise<string[]> } };
    };
    const ended: string[] = [];
    const part = (name: string) => ({
      stop: () => void ended.push(name),
      close: () => void ended.push(name),
    });
    const cluster = Object.assign(Object.create(Cluster.prototype) as { end(): Promise<string[]> }, {
      containers: [
        { name: 'first', kill: failing, group: undefined },
        { name: 'second', kill: (): void => undefined, group: { remove: () => ended.push('group') } },
      ],
      storage: { redis: { stop: failing }, postgres: part('PostgreSQL') },
      network: part('network'),
    });
    expect(await cluster.end()).toEqual([
      'first could not be ended: no such thing',
      'Redis could not be ended: no such thing',
    ]);
    expect(ended).toEqual(['group', 'PostgreSQL', 'network']);
  });
});
