// Reads from rendered manifests and the Dockerfile how a cluster would start a container.
import { parseAllDocuments } from 'yaml';

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const UNITS = { Mi: 2 ** 20, Gi: 2 ** 30 };
/** Default grace period of Kubernetes. */
const GRACE_DEFAULT_SECONDS = 30;

/**
 * Returns the pods of an overlay: for each Deployment and Job, the settings of its single container.
 * @param {string} text YAML documents
 * @param {Record<string, Record<string, string> | null>} secrets by name and key; null for an optional one that is absent
 * @throws Error when a manifest names a Secret, a setting, a port or a quantity that does not exist
 */
export function podsOf(text, secrets) {
  const manifests = parseAllDocuments(text).map((each) => each.toJS());
  const sources = { ...secrets };
  for (const { kind, metadata, data } of manifests) if (kind === 'ConfigMap') sources[metadata.name] = data;
  return manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ kind, metadata, spec }) => {
      try {
        return { kind, name: metadata.name, ...podOf(spec.template.spec, sources) };
      } catch (error) {
        throw new Error(`${kind}/${metadata.name}: ${error.message}`, { cause: error });
      }
    });
}

function podOf(
  { containers: [container], securityContext, volumes, terminationGracePeriodSeconds },
  sources,
) {
  const ports = Object.fromEntries((container.ports ?? []).map((port) => [port.name, port.containerPort]));
  const sizeOf = (name) => volumes.find((volume) => volume.name === name).emptyDir.sizeLimit;
  return {
    target: /quarry-([a-z-]+):/.exec(container.image)?.[1],
    args: container.args,
    env: envOf(container, sources),
    uid: securityContext.runAsUser,
    gid: securityContext.runAsGroup,
    isReadOnly: container.securityContext.readOnlyRootFilesystem,
    mounts: container.volumeMounts.map((each) => ({
      path: each.mountPath,
      bytes: bytesOf(sizeOf(each.name)),
    })),
    memoryBytes: bytesOf(container.resources.limits.memory),
    probes: PROBES.filter((name) => container[name]).map((name) => probeOf(name, container[name], ports)),
    readyWithinMs: startMsOf(container.startupProbe),
    preStopMs: (container.lifecycle?.preStop.sleep.seconds ?? 0) * 1000,
    graceMs: (terminationGracePeriodSeconds ?? GRACE_DEFAULT_SECONDS) * 1000,
  };
}

function probeOf(name, { httpGet: { path, port }, timeoutSeconds }, ports) {
  if (!(port in ports)) throw new Error(`a probe asks the port ${port}, which is not there`);
  return { name, path, port: ports[port], timeoutMs: timeoutSeconds * 1000 };
}

function startMsOf({ periodSeconds, failureThreshold } = { periodSeconds: 0, failureThreshold: 0 }) {
  return periodSeconds * failureThreshold * 1000;
}

/** Returns variables as the kubelet sets them: those of whole Secrets, overridden by env. */
function envOf({ env, envFrom = [] }, sources) {
  const source = (name) => {
    if (!(name in sources)) throw new Error(`${name} is not known to this check`);
    return sources[name] ?? {};
  };
  const given = Object.assign({}, ...envFrom.map(({ secretRef }) => source(secretRef.name)));
  for (const { name, value, valueFrom } of env) {
    const { name: from, key, optional } = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef ?? {};
    const text = value ?? source(from)[key];
    if (text === undefined && !optional) throw new Error(`${from} has no ${key}`);
    if (text !== undefined) given[name] = text;
  }
  return given;
}

function bytesOf(quantity) {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  if (!unit) throw new Error(`${quantity} is no quantity of memory`);
  return Number(number) * UNITS[unit];
}

/**
 * Returns how the Dockerfile starts the program of an image.
 * @param {string} text Dockerfile whose targets extend the stage "base" (tools/dockerfile.spec.ts)
 */
export function imageOf(target, text) {
  const stages = new Map(text.split(/^FROM /m).map((stage) => [/ AS (\S+)/.exec(stage)?.[1], stage]));
  const own = `${stages.get('base')}${stages.get(target)}`;
  const last = (word) => [...own.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].at(-1)[1];
  const pairs = [...own.matchAll(/^ENV (.+)$/gm)].flatMap(([, line]) => line.split(' '));
  return {
    env: Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/).slice(0, 2))),
    folder: last('WORKDIR'),
    entrypoint: JSON.parse(last('ENTRYPOINT')),
    command: JSON.parse(last('CMD')),
  };
}
