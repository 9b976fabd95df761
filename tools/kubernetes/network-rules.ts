import { QUEUE_NAMES } from '@quarry/dto';
import { isSelected, workloadsOf, type Manifest } from './manifest-kit.js';

/** Finds connections between pods other than those of the product's map: all others must be closed in both directions. */
export function faultsOfNetwork(all: Manifest[]): string[] {
  const policies = all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  const pods = workloadsOf(all).map(({ metadata, spec }) => ({
    name: metadata.name as string,
    labels: spec.template.metadata.labels,
  }));
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
  // These pods read pages and call vendors; no others may connect to the internet.
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
  // Pods that call vendors, read pages or use the language model.
  const asking = [...QUEUE_NAMES, 'runs-agent', 'services'].sort();
  return [
    ...(isClosed ? [] : ['the network is open']),
    ...(edges.sort().join() === meant.join() ? [] : [`pods may call: ${edges}`]),
    ...(outside.join() === asking.join() ? [] : [`the internet is open to: ${outside}`]),
  ];
}
