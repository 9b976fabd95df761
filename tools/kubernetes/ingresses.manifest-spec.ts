import { describe, expect, it } from '@jest/globals';
import { faultsOfIngresses } from './ingress-rules.js';
import { find, OVERLAYS, rendered, itFinds, type Manifest } from './manifest-kit.js';

describe('the ingresses of manifests', () => {
  const ANNOTATION = 'nginx.ingress.kubernetes.io/';
  const annotate = (all: Manifest[], name: string, value: string) =>
    (find(all, 'Ingress/gateway').metadata.annotations[ANNOTATION + name] = value);

  it('exist in production, and are left to the operator in the small overlay', () => {
    const count = (overlay: string) => rendered(overlay).filter(({ kind }) => kind === 'Ingress').length;
    expect(OVERLAYS.map(count)).toEqual([0, 1]);
  });

  itFinds('lead to gateways over TLS, and cut off no waiting read and no large body', faultsOfIngresses, [
    [
      'another class',
      (all) => (find(all, 'Ingress/gateway').spec.ingressClassName = 'x'),
      'of another class',
    ],
    ['no certificate', (all) => delete find(all, 'Ingress/gateway').spec.tls, 'has no certificate'],
    [
      'a host that the certificate is not for',
      (all) => (find(all, 'Ingress/gateway').spec.rules[0].host = 'x.example'),
      'x.example has no certificate',
    ],
    [
      'any host',
      (all) => delete find(all, 'Ingress/gateway').spec.rules[0].host,
      'any host has no certificate',
    ],
    [
      'less time than an answer is held',
      (all) => annotate(all, 'proxy-read-timeout', '100'),
      'no longer than',
    ],
    ['no time of its own', (all) => annotate(all, 'proxy-send-timeout', ''), 'no longer than'],
    ['a buffer before events', (all) => annotate(all, 'proxy-buffering', 'on'), 'proxy-buffering is on'],
    [
      'a buffer before imports',
      (all) => annotate(all, 'proxy-request-buffering', 'on'),
      'request-buffering is on',
    ],
    ['less than an import', (all) => annotate(all, 'proxy-body-size', '64m'), 'refuses imports by itself'],
    [
      'a port that is not there',
      (all) => (find(all, 'Service/gateway').spec.ports[0].name = 'web'),
      'leads to no port of gateway',
    ],
    [
      'a controller that is kept out',
      (all) => (find(all, 'NetworkPolicy/public-to-gateway').spec.ingress[0].ports[0].port = 80),
      'its controller is kept out',
    ],
  ]);
});
