import { isSelected, keyOf, read, type Manifest } from './manifest-kit.js';

const ANNOTATION = 'nginx.ingress.kubernetes.io/';
/** Longest time that an answer is held (.env.example), in seconds. Held reads are shorter. */
const HELD_SECONDS = Number(/^#GO_SYNC_WAIT_SECONDS=(\d+)$/m.exec(read('.env.example'))![1]);
/** Maximum body of an import (docs/contract.md), in MiB. */
const BODY_MIB = 64;
/** Namespace of the controller (docs/operations.md). */
const CONTROLLER = { 'kubernetes.io/metadata.name': 'ingress-nginx' };

/** @returns ingresses that allow plain HTTP, cut off held or large requests, or lead to no service */
export function faultsOfIngresses(all: Manifest[]): string[] {
  const of = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  return of('Ingress').flatMap((each) => {
    const faults: string[] = [];
    const fail = (isRight: unknown, fault: string) =>
      void (isRight || faults.push(`${keyOf(each)}: ${fault}`));
    const { ingressClassName, rules = [], tls = [], defaultBackend } = each.spec;
    const says = (name: string): string => each.metadata.annotations?.[ANNOTATION + name] ?? '';
    fail(ingressClassName === 'nginx', 'is of another class than its annotations');
    const secured = tls
      .filter(({ secretName }: Manifest) => secretName)
      .flatMap(({ hosts }: Manifest) => hosts);
    for (const { host } of rules)
      fail(host && secured.includes(host), `${host ?? 'any host'} has no certificate`);
    fail(rules.length > 0 && !defaultBackend, 'answers any host');
    for (const time of ['proxy-read-timeout', 'proxy-send-timeout'])
      fail(Number(says(time)) > HELD_SECONDS, `${time} is no longer than what is held`);
    for (const buffer of ['proxy-buffering', 'proxy-request-buffering'])
      fail(says(buffer) === 'off', `${buffer} is on`);
    fail(Number(/^(\d+)m$/.exec(says('proxy-body-size'))?.[1]) > BODY_MIB, 'refuses imports by itself');
    for (const { backend } of rules.flatMap(({ http }: Manifest) => http.paths)) {
      const service = of('Service').find(({ metadata }) => metadata.name === backend.service.name);
      const port = service?.spec.ports.find(({ name }: Manifest) => name === backend.service.port.name);
      const pod = of('Deployment').find(({ spec }) =>
        isSelected({ matchLabels: service?.spec.selector ?? { none: '' } }, spec.template.metadata.labels),
      )?.spec.template;
      const target = pod?.spec.containers[0].ports.find(({ name }: Manifest) => name === port?.targetPort);
      fail(target, `leads to no port of ${backend.service.name}`);
      fail(target && isLetIn(of('NetworkPolicy'), pod, target.containerPort), 'its controller is kept out');
    }
    return faults;
  });
}

/** @returns whether the controller may reach a port of a pod */
function isLetIn(policies: Manifest[], pod: Manifest, port: number): boolean {
  return policies
    .filter(({ spec }) => isSelected(spec.podSelector, pod.metadata.labels))
    .flatMap(({ spec }) => spec.ingress ?? [])
    .some(
      ({ from = [], ports = [] }: Manifest) =>
        ports.some((one: Manifest) => one.port === port) &&
        from.some(
          ({ namespaceSelector }: Manifest) => namespaceSelector && isSelected(namespaceSelector, CONTROLLER),
        ),
    );
}
