import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '@quarry/dto';
import { find, rendered, itFinds } from './manifest-kit.js';
import { faultsOfQueues } from './queue-rules.js';

describe('the queues of manifests', () => {
  itFinds('are each consumed, scaled and monitored', faultsOfQueues, [
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
  ]);
});

describe('the minimum number of workers of a queue', () => {
  const leastOf = (overlay: string): Record<string, number> =>
    Object.fromEntries(
      rendered(overlay)
        .filter(({ kind }) => kind === 'ScaledObject')
        .map(({ metadata, spec }) => [metadata.name, spec.minReplicaCount]),
    );

  // An event sends no message to a queue: a running worker polls for what is due.
  const always = ['agent-runs', 'webhook-delivery', 'destination-push', 'outreach-send', 'outreach-receive'];
  it('is zero or one for an idle slow service', () => {
    for (const queue of QUEUE_NAMES) {
      expect([queue, leastOf('small')[queue]]).toEqual([queue, always.includes(queue) ? 1 : 0]);
      expect([queue, leastOf('production')[queue]]).toEqual([queue, 1]);
    }
  });
});
