import { describe } from '@jest/globals';
import { find, itFinds } from './manifest-kit.js';
import { faultsOfNetwork } from './network-rules.js';

describe('the network of manifests', () => {
  itFinds('lets pods call each other as the architecture map says, and nobody else', faultsOfNetwork, [
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
  ]);
});
