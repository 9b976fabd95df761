import { describe, expect, it } from '@jest/globals';
import { CONNECTION_BUDGETS, connectionsIn } from '@quarry/postgres';
import { faultsOfAlerts } from './alert-rules.js';
import { faultsOfEnvironments } from './environment-rules.js';
import { faultsOfIngresses } from './ingress-rules.js';
import {
  isSelected,
  keyOf,
  rendered,
  OVERLAYS,
  read,
  renderedText,
  renderOwn,
  type Manifest,
} from './manifest-kit.js';
import { faultsOfNetwork } from './network-rules.js';
import { faultsOfPods } from './pod-rules.js';
import { faultsOfQueues } from './queue-rules.js';
import { faultsOfSchemas } from './schema-rules.js';

/** Returns the faults found by all rules of this folder. */
const faultsOf = (all: Manifest[]): string[] =>
  [
    faultsOfSchemas,
    faultsOfPods,
    faultsOfEnvironments,
    faultsOfQueues,
    faultsOfAlerts,
    faultsOfNetwork,
    faultsOfIngresses,
  ].flatMap((faults) => faults(all));

describe('an overlay', () => {
  it('with traces gives each process the collector, network access to it, and no unknown variable', () => {
    const all = renderOwn((at) =>
      JSON.stringify({
        resources: [at('overlays/production')],
        components: [at('components/tracing')],
        // Same as the base; a component gets the namespace of the overlay that includes it.
        namespace: 'quarry',
      }),
    );
    expect(faultsOf(all)).toEqual([]);
    const deployments = all.filter(({ kind }) => kind === 'Deployment');
    const untraced = deployments.filter(({ spec }) => {
      const { env } = spec.template.spec.containers[0];
      return !env.some(({ name }: Manifest) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT');
    });
    expect(untraced.map(keyOf)).toEqual([]);
    // Without the component no pod uses a collector, and no connection to one is allowed.
    expect(OVERLAYS.map(renderedText).join('')).not.toMatch(/OTEL_|4318/);
    const { spec } = all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'traces');
    const labelled = deployments.filter(({ spec: own }) =>
      isSelected(spec.podSelector, own.template.metadata.labels),
    );
    expect(labelled).toHaveLength(deployments.length);
  });

  it('at its maximum scale opens as many connections to PostgreSQL as docs/operations.md says', () => {
    const opened = OVERLAYS.map((overlay) => {
      const all = rendered(overlay);
      const bounds = new Map(
        all
          .filter(({ spec }) => spec?.scaleTargetRef)
          .map(({ spec }) => [spec.scaleTargetRef.name, spec.maxReplicaCount ?? spec.maxReplicas]),
      );
      const sum = all
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata: { name }, spec }) => {
          const { image, env } = spec.template.spec.containers[0];
          const app = /quarry-([a-z-]+):/.exec(image)![1]!;
          const isServing = env.some((each: Manifest) => each.name === 'SERVICES_RPC');
          const budget = `${app}${isServing ? ', SERVICES_RPC=on' : ''}` as keyof typeof CONNECTION_BUDGETS;
          return (bounds.get(name) ?? spec.replicas) * connectionsIn(CONNECTION_BUDGETS[budget]);
        })
        .reduce((total, each) => total + each, 0);
      return [overlay, sum];
    });
    const text = read('docs/operations.md').replace(/\s+/g, ' ');
    const [, small, production] = /`small` opens (\d+) connections and `production` (\d+)/.exec(text)!;
    expect(Object.fromEntries(opened)).toEqual({ small: Number(small), production: Number(production) });
  });

  it('of an operator has the host and URLs that docs/operations.md allows', () => {
    const documented =
      /```yaml\n(# k8s\/overlays\/own\/[\s\S]*?)```/.exec(read('docs/operations.md'))?.[1] ?? '';
    const all = renderOwn((at) => documented.replaceAll('../../', at('.') + '/'));
    expect(faultsOf(all)).toEqual([]);
    const { rules, tls } = all.find(({ kind }) => kind === 'Ingress').spec;
    expect([rules[0].host, tls[0].hosts]).toEqual(['quarry.acme.com', ['quarry.acme.com']]);
    const settings = all.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && /^quarry-[a-z0-9]{10}$/.test(metadata.name),
    );
    expect(settings.data).toMatchObject({ APP_URL: 'https://quarry.acme.com/app', SANDBOX: 'off' });
    // No link in a message leads to the example host of the base.
    expect(JSON.stringify(settings.data)).not.toContain('quarry.example');
    const images = all
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.spec.containers[0].image as string);
    expect(images.every((image) => image.startsWith('registry.acme.com/'))).toBe(true);
  });
});
