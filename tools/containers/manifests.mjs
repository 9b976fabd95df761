// Reads rendered manifests as a cluster would: which pods there are, and what each one's container is given. Fields
// that it cannot carry out are refused, so that nothing of a manifest is passed over.
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** Fields that are carried out or checked by whoever runs the container, or that say nothing about one container alone. */
const POD_FIELDS = new Set([
  ...['automountServiceAccountToken', 'containers', 'enableServiceLinks', 'restartPolicy', 'securityContext'],
  ...['serviceAccountName', 'terminationGracePeriodSeconds', 'volumes'],
]);
const POD_SECURITY = new Set(['fsGroup', 'runAsGroup', 'runAsNonRoot', 'runAsUser', 'seccompProfile']);
const CONTAINER_FIELDS = new Set([
  ...['args', 'command', 'env', 'envFrom', 'image', 'lifecycle', 'livenessProbe', 'name', 'ports'],
  ...['readinessProbe', 'resources', 'securityContext', 'startupProbe', 'volumeMounts'],
]);
const CONTAINER_SECURITY = new Set(['allowPrivilegeEscalation', 'capabilities', 'readOnlyRootFilesystem']);
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const UNITS = { '': 1, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
/** Of Kubernetes, where a manifest says nothing. */
const GRACE_DEFAULT_SECONDS = 30;

/** @param {string} text documents of YAML @returns {object[]} manifests */
export function parseManifests(text) {
  return parseAllDocuments(text).map((each) => each.toJS());
}

/** @param {string | number} quantity such as 512Mi @returns {number} bytes. @throws Error for one without a known unit */
export function bytesOf(quantity) {
  const [, number, unit] = /^(\d+)([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  if (!(unit in UNITS)) throw new Error(`${quantity} is no quantity of memory.`);
  return Number(number) * UNITS[unit];
}

/**
 * @param {object[]} manifests of one overlay
 * @param {Record<string, Record<string, string> | null>} secrets values by name and key; null for one that may be missing and
 *   is. A name that is not in it fails.
 * @returns {Map<string, object>} for each Deployment and Job by its name what its pod is: see {@link podOf}
 */
export function podsOf(manifests, secrets) {
  const maps = new Map(
    manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]),
  );
  const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  return new Map(workloads.map((each) => [each.metadata.name, podOf(each, { maps, secrets })]));
}

/** @returns how many pods an overlay asks for at least, by the name of the Deployment; its scaler's bound comes first */
export function replicasOf(manifests) {
  const least = (name) => {
    for (const { kind, spec } of manifests) {
      if (kind === 'ScaledObject' && spec.scaleTargetRef.name === name) return spec.minReplicaCount ?? 0;
      if (kind === 'HorizontalPodAutoscaler' && spec.scaleTargetRef.name === name)
        return spec.minReplicas ?? 1;
    }
    return undefined;
  };
  return new Map(
    manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata, spec }) => [metadata.name, least(metadata.name) ?? spec.replicas ?? 1]),
  );
}

/** @returns {Map<string, (pod: object) => boolean>} by the name of each Service, whether it selects a pod of {@link podsOf} */
export function servicesOf(manifests) {
  return new Map(
    manifests
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata, spec }) => [
        metadata.name,
        ({ labels }) => Object.entries(spec.selector).every(([key, value]) => labels[key] === value),
      ]),
  );
}

/** @returns whether two pods of {@link podsOf} would be run in the same way */
export function areAlike(one, other) {
  return isDeepStrictEqual(one, other);
}

/** Returns the container of a Deployment or a Job. @throws Error for fields that are not known here */
function podOf({ kind, metadata, spec }, sources) {
  const pod = spec.template.spec;
  const fail = (message) => {
    throw new Error(`${kind}/${metadata.name}: ${message}`);
  };
  const onlyKnown = (object, known, where) => {
    for (const field of Object.keys(object ?? {}))
      if (!known.has(field)) fail(`${where}.${field} is not known to this check`);
  };
  onlyKnown(pod, POD_FIELDS, 'spec');
  onlyKnown(pod.securityContext, POD_SECURITY, 'securityContext');
  if (pod.containers.length !== 1) fail('it has not one container');
  const [container] = pod.containers;
  onlyKnown(container, CONTAINER_FIELDS, 'container');
  onlyKnown(container.securityContext, CONTAINER_SECURITY, 'container.securityContext');
  const ports = new Map((container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]));
  const probes = Object.fromEntries(
    PROBES.filter((name) => container[name]).map((name) => [name, probeOf(container[name], ports, fail)]),
  );
  return {
    kind,
    name: metadata.name,
    labels: spec.template.metadata.labels,
    target: targetOf(container.image, fail),
    command: container.command,
    args: container.args,
    env: envOf(container, sources, fail),
    user: {
      uid: pod.securityContext?.runAsUser ?? fail('it names no user'),
      gid: pod.securityContext.runAsGroup ?? fail('it names no group'),
      fsGroup: pod.securityContext.fsGroup,
    },
    mayGainRights: container.securityContext?.allowPrivilegeEscalation !== false,
    dropsAll: container.securityContext?.capabilities?.drop?.join() === 'ALL',
    isReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
    mounts: (container.volumeMounts ?? []).map((mount) => mountOf(mount, pod.volumes, fail)),
    memoryBytes: bytesOf(container.resources?.limits?.memory ?? fail('it has no limit of memory')),
    ports,
    probes,
    preStopMs: preStopOf(container.lifecycle, fail),
    graceMs: (pod.terminationGracePeriodSeconds ?? GRACE_DEFAULT_SECONDS) * 1000,
  };
}

function targetOf(image, fail) {
  return (
    /^(?:.*\/)?quarry-([a-z-]+)(?::[\w.-]+)?(?:@sha256:\w+)?$/.exec(image)?.[1] ??
    fail(`${image} is no image of ours`)
  );
}

function probeOf({ httpGet, periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 }, ports, fail) {
  if (!httpGet) fail('a probe asks for something else than an answer over HTTP');
  const port = ports.get(httpGet.port) ?? fail(`a probe asks the port ${httpGet.port}, which is not there`);
  const [periodMs, timeoutMs] = [periodSeconds * 1000, timeoutSeconds * 1000];
  return { path: httpGet.path, port, periodMs, timeoutMs, failuresMax: failureThreshold };
}

function preStopOf(lifecycle, fail) {
  if (!lifecycle) return 0;
  const { preStop, ...others } = lifecycle;
  if (Object.keys(others).length > 0 || !preStop?.sleep)
    fail('its lifecycle is more than a sleep before a stop');
  return preStop.sleep.seconds * 1000;
}

function mountOf({ name, mountPath, ...others }, volumes, fail) {
  const limit = volumes?.find((each) => each.name === name)?.emptyDir?.sizeLimit;
  if (!limit || Object.keys(others).length > 0) fail(`its volume ${name} is no limited emptyDir`);
  return { path: mountPath, bytes: bytesOf(limit) };
}

/** Variables as the kubelet gives them: those of envFrom, then those of env, which come first. */
function envOf({ env = [], envFrom = [] }, { maps, secrets }, fail) {
  const secret = ({ name }) => {
    if (!(name in secrets)) fail(`the Secret ${name} is not known to this check`);
    return secrets[name];
  };
  const given = {};
  for (const { secretRef, ...others } of envFrom) {
    if (!secretRef || Object.keys(others).length > 0)
      fail('it takes variables from something else than a Secret');
    const values = secret(secretRef);
    if (!values && !secretRef.optional) fail(`the Secret ${secretRef.name} is missing`);
    Object.assign(given, values);
  }
  for (const { name, value, valueFrom } of env) {
    const text = value ?? referred(valueFrom ?? fail(`${name} has no value`));
    if (text === undefined) continue;
    if (text.includes('$(')) fail(`${name} refers to another variable, which this check does not carry out`);
    given[name] = text;
  }
  return given;

  function referred({ configMapKeyRef, secretKeyRef, ...others }) {
    if (Object.keys(others).length > 0)
      fail('a variable comes from something else than a ConfigMap or a Secret');
    const { name, key, optional } = secretKeyRef ?? configMapKeyRef;
    const value = (secretKeyRef ? secret(secretKeyRef) : maps.get(name))?.[key];
    if (value === undefined && !optional) fail(`${name} has no ${key}`);
    return value;
  }
}
