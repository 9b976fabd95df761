import { QUEUE_NAMES } from '@quarry/dto';
import { keyOf, type Manifest } from './manifest-kit.js';

/** Finds queues that are not consumed, scaled and monitored exactly once, and those that are not in the catalogue. */
export function faultsOfQueues(all: Manifest[]): string[] {
  const consumers = all
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => {
      const { env, image } = spec.template.spec.containers[0];
      const value = (name: string): string | undefined =>
        env.find((entry: Manifest) => entry.name === name)?.value;
      // A worker without a queue consumes all of them; an agent works on runs by default.
      if (/(^|\/)quarry-jobs-worker:/.test(image)) return (value('WORKER_QUEUES') ?? 'all').split(',');
      return /(^|\/)quarry-runs-agent:/.test(image) && value('AGENT') !== 'off' ? ['agent-runs'] : [];
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
  ];
}
