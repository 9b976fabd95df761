import { describe } from '@jest/globals';
import { containerOf, find, podOf, itFinds } from './manifest-kit.js';
import { faultsOfPods } from './pod-rules.js';

describe('the pods of manifests', () => {
  itFinds('have no privileges, their own limits, and time to stop', faultsOfPods, [
    ['root', (all) => delete podOf(all).securityContext.runAsNonRoot, 'runs as root'],
    ['a root to write on', (all) => delete containerOf(all).securityContext, 'may write on its root'],
    ['a limit of CPU', (all) => (containerOf(all).resources.limits.cpu = '1'), 'has a limit of CPU'],
    ['an unknown image', (all) => (containerOf(all).image = 'quarry-edge:1'), 'which no target makes'],
    [
      'nodes of others',
      (all) => (podOf(all).topologySpreadConstraints[0].labelSelector.matchLabels = { a: 'b' }),
      'on one node',
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
      'two scalers',
      (all) => (find(all, 'HorizontalPodAutoscaler/tables').spec.scaleTargetRef.name = 'agent-runs'),
      'has two who scale it',
    ],
    [
      'a number beside a scaler',
      (all) => (find(all, 'Deployment/gateway').spec.replicas = 3),
      'says how many',
    ],
  ]);
});
