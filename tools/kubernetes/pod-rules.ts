import { isSelected, keyOf, read, workloadsOf, type Manifest } from './manifest-kit.js';

/** Milliseconds that a process without lines may take to stop (docs/reliability.md, stops and rollouts). */
const STOP_MS = 75_000;
const TARGETS = new Set([...read('Dockerfile').matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name));

/** @returns pods with privileges, without limits, or with wrong probes, stops, services or scaling */
export function faultsOfPods(all: Manifest[]): string[] {
  const of = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  const named = (kind: string, name: unknown) => of(kind).some(({ metadata }) => metadata.name === name);
  const deployments = of('Deployment');
  const faults: string[] = [];
  const check = (isRight: unknown, fault: string) => void (isRight || faults.push(fault));

  for (const each of workloadsOf(all)) {
    const fail = (isRight: unknown, fault: string) => check(isRight, `${keyOf(each)}: ${fault}`);
    const pod = each.spec.template.spec;
    const container = pod.containers[0];
    const labels = each.spec.template.metadata.labels;
    // Security: the restricted profile of pods, and a read-only root.
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
    const image = /^(?:.*\/)?quarry-([a-z-]+):[\w.-]+$/.exec(container.image)?.[1];
    fail(TARGETS.has(image), `has the image ${container.image}, which no target makes`);
    if (each.kind === 'Job') continue;
    fail(isSelected(each.spec.selector, labels), 'does not select its own pods');
    fail(
      deployments.filter(({ spec }) => isSelected(spec.selector, labels)).length === 1,
      'shares its pods with another',
    );
    // Nodes and zones.
    const spread = (pod.topologySpreadConstraints ?? []).flatMap((rule: Manifest) =>
      isSelected(rule.labelSelector, labels) && rule.matchLabelKeys?.join() === 'pod-template-hash'
        ? rule.topologyKey
        : [],
    );
    fail(
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].every((key) => spread.includes(key)),
      'may have all its pods on one node',
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
    fail(ports.has('metrics'), 'has no port for its metrics');
    // Stops.
    const preStopMs = (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000;
    const drainMs = container.env.find(({ name }: Manifest) => name === 'DRAIN_MS')?.value;
    const stopMs = drainMs === undefined ? STOP_MS : Number(drainMs);
    fail(pod.terminationGracePeriodSeconds * 1000 > stopMs + preStopMs, 'is killed before it has drained');
    const isServed = of('Service').some(({ spec }) => isSelected({ matchLabels: spec.selector }, labels));
    fail(!isServed || preStopMs > 0, 'ends before its callers know');
    const budgets = of('PodDisruptionBudget').filter(({ spec }) => isSelected(spec.selector, labels));
    fail(!isServed || budgets.length === 1, 'has no disruption budget');
    // At most one scaler controls the number of pods.
    const name = each.metadata.name;
    const scalers = [...of('HorizontalPodAutoscaler'), ...of('ScaledObject')].filter(
      ({ spec }) => spec.scaleTargetRef.name === name,
    );
    fail(scalers.length <= 1, 'has two who scale it');
    fail(scalers.length === 0 || each.spec.replicas === undefined, 'says how many, and so does its scaler');
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

  return faults;
}
