import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { QUEUE_NAMES } from '@quarry/dto';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const OVERLAYS = ['small', 'production'] as const;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Of the documents only what the rules look at; their shape is judged by the models. */
type Manifest = any;

const parse = (text: string): Manifest[] => parseAllDocuments(text).map((each): Manifest => each.toJS());
const rendered = (overlay: string): Manifest[] => parse(read(`k8s/rendered/${overlay}.yaml`));
const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

const MODELS = [
  ...[ConfigMap, Deployment, HorizontalPodAutoscaler, Job, Namespace, NetworkPolicy, PodDisruptionBudget],
  ...[PodMonitor, PrometheusRule, ScaledObject, Service, ServiceAccount, TriggerAuthentication],
] as unknown as Array<{
  apiVersion: string;
  kind: string;
  new (document: Manifest): { validate(): void };
}>;

interface Variable {
  isRequired: boolean;
  isSecret: boolean;
}

/** The variables that each app knows, by their names, as .env.example has them. */
function environments(): Map<string, Map<string, Variable>> {
  const apps = read('.env.example').split(/^# ── apps\//m);
  return new Map(
    apps.slice(1).map((part) => [
      /^\S+/.exec(part)![0],
      new Map(
        // A line of prose, then the variable that it is about.
        [...part.matchAll(/^# (.*)\n#([A-Z_0-9]+)=/gm)].map(([, says, name]) => [
          name!,
          { isRequired: / Required\./.test(says!), isSecret: / Secret\.$/.test(says!) },
        ]),
      ),
    ]),
  );
}

/** A histogram is asked for by its parts. */
const isExported = (name: string): boolean =>
  FIGURES.includes(`name: '${name.replace(/_(bucket|count|sum)$/, '')}'`);

const ENVIRONMENTS = environments();
/** Node's own, not an app's. */
const OF_NODE = 'NODE_OPTIONS';
const TARGETS = new Set([...read('Dockerfile').matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name));
/** Has a runbook for each alert. */
const OPERATIONS = read('docs/operations.md');
const FIGURES = [
  'libs/composition/src/product-metrics.ts',
  'libs/composition/src/provider-metrics.ts',
  'libs/platform/src/telemetry/traffic-figures.ts',
  'libs/platform/src/telemetry/work-figures.ts',
  'libs/platform/src/telemetry/database-figures.ts',
]
  .map(read)
  .join('\n');
/** What a process without lines may take to stop (docs/reliability.md, stops and rollouts). */
const STOP_MS = 75_000;

const isSelected = (selector: Manifest, labels: Record<string, string>): boolean =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every(
    ({ key, operator, values }: Manifest) => operator === 'In' && values.includes(labels[key]),
  );

/** @returns what is wrong with a set of manifests beyond the shape of each */
function faultsOf(all: Manifest[]): string[] {
  const of = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  const faults: string[] = [];
  const check = (isRight: unknown, fault: string) => void (isRight || faults.push(fault));
  const deployments = of('Deployment');
  const named = (kind: string, name: unknown) => of(kind).some(({ metadata }) => metadata.name === name);

  for (const each of all) {
    const Model = MODELS.find(({ apiVersion, kind }) => apiVersion === each.apiVersion && kind === each.kind);
    try {
      if (!Model) throw new Error('has no model');
      new Model(each).validate();
    } catch (error) {
      faults.push(`${keyOf(each)}: ${(error as Error).message}`);
    }
    check(all.filter((other) => keyOf(other) === keyOf(each)).length === 1, `${keyOf(each)}: twice`);
    const isInside = each.kind === 'Namespace' || each.metadata.namespace === 'quarry';
    check(isInside, `${keyOf(each)}: outside the namespace`);
  }
  check(
    of('Namespace')[0]?.metadata.labels['pod-security.kubernetes.io/enforce'] === 'restricted',
    'Namespace: not restricted',
  );

  for (const each of [...deployments, ...of('Job')]) {
    const fail = (isRight: unknown, fault: string) => check(isRight, `${keyOf(each)}: ${fault}`);
    const pod = each.spec.template.spec;
    const container = pod.containers[0];
    const labels = each.spec.template.metadata.labels;
    // Security: the restricted profile of pods, and a root that nobody writes on.
    const { securityContext: own = {} } = container;
    fail(pod.containers.length === 1 && !pod.initContainers, 'has another container');
    fail(
      pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser === 65532,
      'runs as root',
    );
    fail(pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile');
    fail(own.readOnlyRootFilesystem === true, 'may write on its root');
    fail(own.allowPrivilegeEscalation === false, 'may gain rights');
    fail(own.capabilities?.drop?.join() === 'ALL' && !own.capabilities.add, 'keeps capabilities');
    fail(!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, 'is in the host');
    fail(pod.automountServiceAccountToken === false, 'holds a token of the cluster');
    fail(named('ServiceAccount', pod.serviceAccountName), 'has no service account');
    fail(
      pod.volumes?.every(({ emptyDir }: Manifest) => emptyDir?.sizeLimit),
      'has a volume that is no limited emptyDir',
    );
    fail(
      container.volumeMounts?.some(({ mountPath }: Manifest) => mountPath === '/tmp'),
      'has no /tmp',
    );
    // Resources.
    const { requests = {}, limits = {} } = container.resources ?? {};
    fail(requests.cpu && requests.memory && limits.memory === requests.memory, 'has no memory of its own');
    fail(!limits.cpu, 'has a limit of CPU');
    // Images and environment.
    const image = /^(?:.*\/)?quarry-([a-z-]+):[\w.-]+$/.exec(container.image)?.[1];
    const app = image ?? '';
    fail(TARGETS.has(app), `has the image ${container.image}, which no target makes`);
    const known = ENVIRONMENTS.get(app) ?? new Map<string, Variable>();
    const given = new Map<string, Manifest>(container.env.map((entry: Manifest) => [entry.name, entry]));
    fail(given.size === container.env.length, 'gives a variable twice');
    fail(
      /^--max-old-space-size-percentage=\d\d$/.test(given.get(OF_NODE)?.value ?? ''),
      'has no heap by percentage',
    );
    for (const [name, { value, valueFrom }] of given) {
      fail(known.has(name) || name === OF_NODE, `gives ${name}, which ${app} does not know`);
      fail((typeof value === 'string') !== (valueFrom !== undefined), `gives ${name} no text`);
      const { configMapKeyRef: setting, secretKeyRef: secret } = valueFrom ?? {};
      const maps = of('ConfigMap').filter(({ metadata }) => metadata.name === setting?.name);
      fail(!setting || setting.key in (maps[0]?.data ?? {}), `gives ${name} of no ConfigMap`);
      const { isSecret = false, isRequired = false } = known.get(name) ?? {};
      fail(isSecret === (secret !== undefined), `gives ${name} ${isSecret ? 'openly' : 'as a secret'}`);
      fail(!(secret?.optional && isRequired), `may lack ${name}`);
    }
    for (const [name, { isRequired }] of known)
      fail(!isRequired || given.has(name), `lacks ${name}, which ${app} needs`);
    if (each.kind === 'Job') {
      fail(given.get('DATABASE_URL')?.valueFrom.secretKeyRef.key === 'owner_url', 'is not the owner');
      fail(labels['quarry/storage'], 'does not reach the database');
      continue;
    }
    // Who migrates is the owner, and nobody else.
    fail(
      /^(serving|working)_url$/.test(given.get('DATABASE_URL')?.valueFrom.secretKeyRef.key),
      'is the owner',
    );
    fail(isSelected(each.spec.selector, labels), 'does not select its own pods');
    fail(
      deployments.filter(({ spec }) => isSelected(spec.selector, labels)).length === 1,
      'shares its pods with another',
    );
    // Probes.
    const ports = new Map<string, number>(
      container.ports.map((port: Manifest) => [port.name, port.containerPort]),
    );
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe]?.httpGet ?? {};
      fail(path === (probe === 'readinessProbe' ? '/readyz' : '/healthz'), `${probe} asks ${path}`);
      fail(ports.has(port), `${probe} asks the port ${port}`);
    }
    for (const [port, variable] of [
      ['metrics', 'METRICS'],
      ['rpc', 'RPC'],
    ] as const) {
      if (!ports.has(port)) continue;
      fail(
        given.get(`${variable}_PORT`)?.value === String(ports.get(port)),
        `listens elsewhere than ${port}`,
      );
      fail(given.get(`${variable}_HOST`)?.value === '0.0.0.0', `${port} is for itself only`);
    }
    fail(ports.has('metrics'), 'has no port for its figures');
    fail(!ports.has('http') || given.get('PORT')?.value === String(ports.get('http')), 'listens elsewhere');
    // What answers calls without TLS needs the secret that its callers sign with.
    fail(!(ports.has('rpc') || ports.has('http')) || given.has('RPC_SECRETS'), 'lacks RPC_SECRETS');
    // Stops.
    const preStopMs = (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000;
    const stopMs = given.has('DRAIN_MS') ? Number(given.get('DRAIN_MS').value) : STOP_MS;
    fail(pod.terminationGracePeriodSeconds * 1000 > stopMs + preStopMs, 'is killed before it has drained');
    const isServed = of('Service').some(({ spec }) => isSelected({ matchLabels: spec.selector }, labels));
    fail(!isServed || preStopMs > 0, 'ends before its callers know');
    const budgets = of('PodDisruptionBudget').filter(({ spec }) => isSelected(spec.selector, labels));
    fail(!isServed || budgets.length === 1, 'has no disruption budget');
    // Who decides how many there are.
    const name = each.metadata.name;
    const scalers = [...of('HorizontalPodAutoscaler'), ...of('ScaledObject')].filter(
      ({ spec }) => spec.scaleTargetRef.name === name,
    );
    fail(scalers.length <= 1, 'has two who scale it');
    fail(scalers.length === 0 || each.spec.replicas === undefined, 'says how many, and so does its scaler');
    // Upstreams.
    for (const [variable, { value = '' }] of given) {
      const [, host, port] = /^tcp:\/\/([^:]+):(\d+)$/.exec(value) ?? [];
      if (!host) continue;
      const service = of('Service').find(({ metadata }) => metadata.name === host);
      fail(
        service?.spec.ports.some((one: Manifest) => String(one.port) === port),
        `${variable} is nobody`,
      );
      fail(service?.spec.clusterIP === 'None', `${variable} hides its replicas`);
    }
  }

  for (const each of of('Service')) {
    const pods = deployments.filter(({ spec }) =>
      isSelected({ matchLabels: each.spec.selector }, spec.template.metadata.labels),
    );
    check(pods.length === 1, `${keyOf(each)}: selects ${pods.length} Deployments`);
    for (const { targetPort } of each.spec.ports) {
      const ports: Manifest[] = pods[0]?.spec.template.spec.containers[0].ports ?? [];
      check(
        ports.some(({ name }) => name === targetPort),
        `${keyOf(each)}: leads to no port`,
      );
    }
  }
  for (const each of [...of('HorizontalPodAutoscaler'), ...of('ScaledObject')])
    check(named('Deployment', each.spec.scaleTargetRef.name), `${keyOf(each)}: scales nothing`);

  faults.push(...faultsOfQueues(all), ...faultsOfNetwork(all));
  return faults;
}

/** Each queue of the catalogue is consumed, scaled and watched by exactly one of each, and no other queue is. */
function faultsOfQueues(all: Manifest[]): string[] {
  const consumers = all
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => {
      const { env, image } = spec.template.spec.containers[0];
      const value = (name: string): string | undefined =>
        env.find((entry: Manifest) => entry.name === name)?.value;
      // A worker that names no queue consumes all of them, an agent that says nothing works on runs.
      if (image.startsWith('quarry-jobs-worker:')) return (value('WORKER_QUEUES') ?? 'all').split(',');
      return image.startsWith('quarry-runs-agent:') && value('AGENT') !== 'off' ? ['agent-runs'] : [];
    })
    .filter((queue) => queue !== 'none');
  const scaled = all.filter(({ kind }) => kind === 'ScaledObject');
  const alerts: Manifest[] = all
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => spec.groups.flatMap(({ rules }: Manifest) => rules));
  const wanted = [...QUEUE_NAMES].sort().join();
  const authentications = all
    .filter(({ kind }) => kind === 'TriggerAuthentication')
    .map(({ metadata }) => metadata.name);
  return [
    ...(consumers.sort().join() === wanted ? [] : [`queues are consumed: ${consumers}`]),
    ...(scaled
      .map(({ metadata }) => metadata.name)
      .sort()
      .join() === wanted
      ? []
      : ['queues are not scaled one by one']),
    ...(alerts
      .flatMap(({ labels }) => labels.queue ?? [])
      .sort()
      .join() === wanted
      ? []
      : ['queues are not watched one by one']),
    ...scaled
      .filter(({ metadata, spec }) => {
        const [{ type, metadata: trigger, authenticationRef }] = spec.triggers;
        return (
          type !== 'postgresql' ||
          spec.scaleTargetRef.name !== metadata.name ||
          !trigger.query.endsWith(`queue = '${metadata.name}'`) ||
          !authentications.includes(authenticationRef.name)
        );
      })
      .map((each) => `${keyOf(each)}: asks for another queue`),
    ...alerts
      .flatMap(({ expr }) => [...expr.matchAll(/quarry_\w+/g)].map(([name]) => name as string))
      .filter((name) => !isExported(name))
      .map((name) => `an alert is about ${name}, which nobody exports`),
    ...alerts
      .filter(({ alert }) => !OPERATIONS.includes(`\n### ${alert}\n`))
      .map(({ alert }) => `the alert ${alert} has no runbook`),
  ];
}

/** Pods may call each other only as the map of the product says; everything else is closed both ways. */
function faultsOfNetwork(all: Manifest[]): string[] {
  const policies = all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  const pods = all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({ name: metadata.name as string, labels: spec.template.metadata.labels }));
  const isClosed = policies.some(
    ({ podSelector, policyTypes, ingress, egress }) =>
      Object.keys(podSelector).length === 0 && policyTypes.length === 2 && !ingress && !egress,
  );
  const allows = (way: 'ingress' | 'egress', own: Manifest, other: Manifest, port: number): boolean =>
    policies
      .filter(({ podSelector }) => isSelected(podSelector, own.labels))
      .flatMap((policy) => (policy[way] ?? []) as Manifest[])
      .some(
        (rule) =>
          (rule.ports ?? [{ port }]).some((each: Manifest) => each.port === port) &&
          (rule[way === 'ingress' ? 'from' : 'to'] ?? [{ podSelector: {} }]).some(
            (peer: Manifest) =>
              peer.podSelector && !peer.namespaceSelector && isSelected(peer.podSelector, other.labels),
          ),
      );
  const edges = pods.flatMap((from) =>
    pods.flatMap((to) =>
      [3000, 4000, 9464]
        .filter((port) => allows('egress', from, to, port) && allows('ingress', to, from, port))
        .map((port) => `${from.name} → ${to.name}:${port}`),
    ),
  );
  const meant = [
    'agent-runs → services:4000',
    ...['runs-agent', 'services', 'tables'].map((to) => `gateway → ${to}:4000`),
    'sourcing-runs → services:4000',
  ];
  // Who asks pages and vendors; nobody else leaves for the internet.
  const outside = pods
    .filter(({ labels }) =>
      policies.some(
        ({ podSelector, egress = [] }) =>
          isSelected(podSelector, labels) &&
          egress.some(({ to = [] }: Manifest) =>
            to.some(({ ipBlock }: Manifest) => ipBlock?.cidr === '0.0.0.0/0'),
          ),
      ),
    )
    .map(({ name }) => name)
    .sort();
  // Those that ask vendors, pages or the language model.
  const asking = [...QUEUE_NAMES, 'runs-agent', 'services'].sort();
  return [
    ...(isClosed ? [] : ['the network is open']),
    ...(edges.sort().join() === meant.join() ? [] : [`pods may call: ${edges}`]),
    ...(outside.join() === asking.join() ? [] : [`the internet is open to: ${outside}`]),
  ];
}

/** Where the type of each kind is; the models take fields that they do not know, the compiler does not. */
const packageOf = (apiVersion: string): string => {
  if (apiVersion.startsWith('keda.sh/')) return '@kubernetes-models/keda';
  if (apiVersion.startsWith('monitoring.')) return '@kubernetes-models/prometheus-operator';
  return 'kubernetes-models';
};

/** @returns what the compiler says of manifests that are written as literals of their types */
function faultsOfFields(all: Manifest[]): string[] {
  const file = join(import.meta.dirname, 'manifests.virtual.ts');
  const types = new Map(all.map(({ apiVersion, kind }) => [kind, apiVersion]));
  const text = [
    ...[...types].map(
      ([kind, version]) => `import type { I${kind} } from '${packageOf(version)}/${version}/${kind}';`,
    ),
    ...all.map((each, i) => `export const _${i}: I${each.kind} = ${JSON.stringify(each)};`),
  ].join('\n');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    noLib: false,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const source = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : source(name, ...rest);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  const program = ts.createProgram([file], options, host);
  const own = program.getSourceFile(file)!;
  return [...program.getSyntacticDiagnostics(own), ...program.getSemanticDiagnostics(own)].map((each) =>
    ts.flattenDiagnosticMessageText(each.messageText, ' '),
  );
}

describe('the fields of manifests', () => {
  it('are all known to their kinds, and one that is not is found', () => {
    const misspelt = rendered('small').find(({ kind }) => kind === 'Deployment');
    misspelt.spec.template.spec.containers[0].imagePullPolicyy = 'Always';
    expect(faultsOfFields([...OVERLAYS.flatMap(rendered), misspelt])).toEqual([
      expect.stringContaining('imagePullPolicyy'),
    ]);
  });
});

describe.each(OVERLAYS)('the manifests of the overlay %s', (overlay) => {
  it('have the shape of their kinds, keep every rule, and give each app what it needs', () => {
    expect(faultsOf(rendered(overlay))).toEqual([]);
  });

  // Renders of the same input are the same; where there is no kubectl, the committed ones are judged all the same.
  const kubectl = spawnSync('kubectl', ['kustomize', join(ROOT, 'k8s/overlays', overlay)], {
    encoding: 'utf8',
  });
  (kubectl.error ? it.skip : it)('are those that were committed', () => {
    expect(kubectl.stderr).toBe('');
    const byKey = (documents: Manifest[]) => new Map(documents.map((each) => [keyOf(each), each]));
    expect(byKey(rendered(overlay))).toEqual(byKey(parse(kubectl.stdout)));
  });
});

describe('the component of traces', () => {
  const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  (kubectl.error ? it.skip : it)(
    'gives each process its collector, the way to it, and nothing that it does not know',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'quarry-traced-'));
      const from = (path: string): string => relative(folder, join(ROOT, 'k8s', path));
      const overlay = {
        resources: [from('overlays/production')],
        components: [from('components/tracing')],
        // Of the base; a component takes the namespace of whoever names it.
        namespace: 'quarry',
      };
      writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      expect(stderr).toBe('');
      const all = parse(stdout);
      expect(faultsOf(all)).toEqual([]);
      const deployments = all.filter(({ kind }) => kind === 'Deployment');
      const untraced = deployments.filter(({ spec }) => {
        const { env } = spec.template.spec.containers[0];
        return !env.some(({ name }: Manifest) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT');
      });
      expect(untraced.map(keyOf)).toEqual([]);
      // Without the component nobody asks for a collector, and nobody is let out to one.
      expect(OVERLAYS.map((name) => read(`k8s/rendered/${name}.yaml`)).join('')).not.toMatch(/OTEL_|4318/);
      const { spec } = all.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'traces',
      );
      const labelled = deployments.filter(({ spec: own }) =>
        isSelected(spec.podSelector, own.template.metadata.labels),
      );
      expect(labelled).toHaveLength(deployments.length);
    },
  );
});

describe('the overlays', () => {
  const leastOf = (overlay: string): Record<string, number> =>
    Object.fromEntries(
      rendered(overlay)
        .filter(({ kind }) => kind === 'ScaledObject')
        .map(({ metadata, spec }) => [metadata.name, spec.minReplicaCount]),
    );

  it('need no worker for a slow service with nothing to do, or keep one', () => {
    for (const queue of QUEUE_NAMES) {
      expect([queue, leastOf('small')[queue]]).toEqual([queue, queue === 'agent-runs' ? 1 : 0]);
      expect([queue, leastOf('production')[queue]]).toEqual([queue, 1]);
    }
  });
});

describe('what is watched', () => {
  const dashboard = JSON.parse(read('k8s/components/monitoring/dashboard.json')) as {
    panels: Array<{ id: number; title: string; targets: Array<{ expr: string }> }>;
  };
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  /** Of Debian's package "prometheus". */
  const promtool = process.env.QUARRY_PROMTOOL ?? 'promtool';
  const hasPromtool = !spawnSync(promtool, ['--version']).error;
  const folder = mkdtempSync(join(tmpdir(), 'quarry-rules-'));
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: 'utf8' });
    return { status, said: status === 0 ? '' : `${stdout}${stderr}` };
  };
  const rules = (name: string, spec: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(spec));
    return name;
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('on the dashboard is exported by some process', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const asked = expressions.flatMap((expr) => expr.match(/quarry_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !isExported(name))).toEqual([]);
  });

  (hasPromtool ? it : it.skip)('is written as Prometheus reads it, and alerts when it should', () => {
    const all = rendered('production').filter(({ kind }) => kind === 'PrometheusRule');
    for (const { metadata, spec } of all)
      expect(run('check', 'rules', rules(`${metadata.name}.json`, spec))).toEqual({ status: 0, said: '' });
    const panels = expressions.map((expr, i) => ({ record: `quarry:panel_${i}`, expr }));
    const asRules = rules('dashboard.json', { groups: [{ name: 'dashboard', rules: panels }] });
    expect(run('check', 'rules', asRules)).toEqual({ status: 0, said: '' });
    rules('product-alerts.rules.yaml', all.find(({ metadata }) => metadata.name === 'quarry-product').spec);
    writeFileSync(join(folder, 'test.yaml'), read('k8s/components/monitoring/product-alerts.test.yaml'));
    expect(run('test', 'rules', 'test.yaml')).toEqual({ status: 0, said: '' });
  });
});

describe('the rules of manifests', () => {
  const find = (all: Manifest[], key: string): Manifest => all.find((each) => keyOf(each) === key)!;
  const podOf = (all: Manifest[], key = 'Deployment/gateway'): Manifest => find(all, key).spec.template.spec;
  const containerOf = (all: Manifest[], key?: string): Manifest => podOf(all, key).containers[0];
  const rename = (all: Manifest[], key: string, from: string, to: string) => {
    containerOf(all, key).env.find(({ name }: Manifest) => name === from).name = to;
  };

  it.each<[string, (all: Manifest[]) => unknown, string]>([
    [
      'a wrong type',
      (all) => (find(all, 'Deployment/gateway').spec.revisionHistoryLimit = 'x'),
      'must be integer',
    ],
    [
      'a missing field',
      (all) => delete find(all, 'HorizontalPodAutoscaler/gateway').spec.maxReplicas,
      'maxReplicas',
    ],
    ['root', (all) => delete podOf(all).securityContext.runAsNonRoot, 'runs as root'],
    ['a root to write on', (all) => delete containerOf(all).securityContext, 'may write on its root'],
    ['a limit of CPU', (all) => (containerOf(all).resources.limits.cpu = '1'), 'has a limit of CPU'],
    [
      'an unknown variable',
      (all) => rename(all, 'Deployment/tables', 'LOG_LEVEL', 'LOG_LEVELS'),
      'LOG_LEVELS, which tables does not know',
    ],
    [
      'a lost variable',
      (all) => rename(all, 'Deployment/tables', 'CURSOR_SECRET', 'RPC_HOST'),
      'lacks CURSOR_SECRET',
    ],
    ['an unknown image', (all) => (containerOf(all).image = 'quarry-edge:1'), 'which no target makes'],
    [
      'a secret in the open',
      (all) => {
        const secret = containerOf(all).env.find(({ name }: Manifest) => name === 'RPC_SECRETS');
        delete Object.assign(secret, { value: 'x'.repeat(64) }).valueFrom;
      },
      'gives RPC_SECRETS openly',
    ],
    ['a probe of nothing', (all) => (containerOf(all).readinessProbe.httpGet.path = '/ready'), 'asks /ready'],
    [
      'a short grace',
      (all) => (podOf(all, 'Deployment/service-get-email').terminationGracePeriodSeconds = 120),
      'is killed before',
    ],
    [
      'a foreign port',
      (all) => (find(all, 'Service/tables').spec.ports[0].targetPort = 'http'),
      'leads to no port',
    ],
    [
      'a lost selector',
      (all) => (find(all, 'Service/tables').spec.selector = { a: 'b' }),
      'selects 0 Deployments',
    ],
    [
      'a queue twice',
      (all) =>
        all.push({
          ...find(all, 'Deployment/service-get-email'),
          metadata: { name: 'x', namespace: 'quarry' },
        }),
      'queues are consumed',
    ],
    [
      'a queue that nobody scales',
      (all) => all.splice(all.indexOf(find(all, 'ScaledObject/agent-runs')), 1),
      'not scaled',
    ],
    [
      'a queue that nobody watches',
      (all) => find(all, 'PrometheusRule/quarry-queues').spec.groups[0].rules.pop(),
      'not watched',
    ],
    [
      'an alert about nothing',
      (all) => (find(all, 'PrometheusRule/quarry-queues').spec.groups[0].rules[0].expr = 'quarry_x > 1'),
      'nobody exports',
    ],
    [
      'two scalers',
      (all) => (find(all, 'HorizontalPodAutoscaler/tables').spec.scaleTargetRef.name = 'agent-runs'),
      'has two who scale it',
    ],
    [
      'a number beside a scaler',
      (all) => (find(all, 'Deployment/gateway').spec.replicas = 3),
      'says how many',
    ],
    [
      'an open network',
      (all) => all.splice(all.indexOf(find(all, 'NetworkPolicy/default-deny')), 1),
      'the network is open',
    ],
    [
      'a way between pods',
      (all) => {
        find(all, 'NetworkPolicy/gateway-to-services').spec.podSelector = {};
        find(all, 'NetworkPolicy/services-from-gateway').spec.ingress[0].from[0].podSelector = {};
      },
      'pods may call: ',
    ],
    [
      'a way to the internet',
      (all) => (find(all, 'NetworkPolicy/web').spec.podSelector = {}),
      'the internet is open to',
    ],
    [
      'the owner for everybody',
      (all) =>
        (containerOf(all).env.find(
          ({ name }: Manifest) => name === 'DATABASE_URL',
        ).valueFrom.secretKeyRef.key = 'owner_url'),
      'is the owner',
    ],
  ])('find %s', (_what, spoil, fault) => {
    const all = rendered('production');
    spoil(all);
    expect(faultsOf(all).join('\n')).toContain(fault);
  });
});
