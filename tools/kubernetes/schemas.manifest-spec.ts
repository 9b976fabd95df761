import { describe, expect, it } from '@jest/globals';
import { faultsOfFields } from './field-rules.js';
import { OVERLAYS, find, rendered, itFinds } from './manifest-kit.js';
import { faultsOfSchemas } from './schema-rules.js';

describe('the documents of manifests', () => {
  itFinds('match the schema of their kinds, once each, in one namespace', faultsOfSchemas, [
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
  ]);
});

describe('the fields of manifests', () => {
  it('are all known to their kinds, and an unknown one is found', () => {
    const misspelt = rendered('small').find(({ kind }) => kind === 'Deployment');
    misspelt.spec.template.spec.containers[0].imagePullPolicyy = 'Always';
    expect(faultsOfFields([...OVERLAYS.flatMap(rendered), misspelt])).toEqual([
      expect.stringContaining('imagePullPolicyy'),
    ]);
  });
});
