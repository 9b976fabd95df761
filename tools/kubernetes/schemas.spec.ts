import { describe, expect, it } from '@jest/globals';
import { faultsOfFields } from './field-rules.js';
import { OVERLAYS, find, rendered, type Manifest } from './manifest-kit.js';
import { faultsOfSchemas } from './schema-rules.js';

describe('the documents of manifests', () => {
  it.each(OVERLAYS)('have the shape of their kinds, once each, in one namespace: %s', (overlay) => {
    expect(faultsOfSchemas(rendered(overlay))).toEqual([]);
  });

  it.each<[string, (all: Manifest[]) => unknown, string]>([
    [
      'a wrong type',
      (all) => (find(all, 'Deployment/gateway').spec.revisionHistoryLimit = 'x'),
      'must be integer',
    ],
    [
      'a missing field',
      (all) => delete find(all, 'HorizontalPodAutoscaler/gateway').spec.maxReplicas,
      'maxReplicas',
    ],
  ])('are refused with %s', (_what, spoil, fault) => {
    const all = rendered('production');
    spoil(all);
    expect(faultsOfSchemas(all).join('\n')).toContain(fault);
  });
});

describe('the fields of manifests', () => {
  it('are all known to their kinds, and one that is not is found', () => {
    const misspelt = rendered('small').find(({ kind }) => kind === 'Deployment');
    misspelt.spec.template.spec.containers[0].imagePullPolicyy = 'Always';
    expect(faultsOfFields([...OVERLAYS.flatMap(rendered), misspelt])).toEqual([
      expect.stringContaining('imagePullPolicyy'),
    ]);
  });
});
