import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, read, rendered, itFinds } from './manifest-kit.js';
import { faultsOfAlerts, isExported } from './alert-rules.js';

describe('the alerts of manifests', () => {
  itFinds('are about exported metrics, and have a runbook', faultsOfAlerts, [
    [
      'an alert about nothing',
      (all) => (find(all, 'PrometheusRule/quarry-queues').spec.groups[0].rules[0].expr = 'quarry_x > 1'),
      'nobody exports',
    ],
    [
      'an alert that nobody answers to',
      (all) => delete find(all, 'PrometheusRule/quarry-queues').spec.groups[0].rules[0].labels.team,
      "is no team's",
    ],
    [
      'a Deployment of a team that is not in CODEOWNERS',
      (all) => (find(all, 'Deployment/tables').metadata.labels['quarry/team'] = 'sales'),
      "Deployment/tables is no team's",
    ],
  ]);
});

describe('the monitoring', () => {
  const dashboard = JSON.parse(read('k8s/components/monitoring/dashboard.json')) as {
    panels: Array<{ id: number; title: string; targets: Array<{ expr: string }> }>;
  };
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  /** Program of Debian's package "prometheus". */
  const promtool = process.env.QUARRY_PROMTOOL ?? 'promtool';
  const hasPromtool = !spawnSync(promtool, ['--version']).error;
  const folder = mkdtempSync(join(tmpdir(), 'quarry-rules-'));
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: 'utf8' });
    return { status, output: status === 0 ? '' : `${stdout}${stderr}` };
  };
  const rules = (name: string, spec: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(spec));
    return name;
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('uses metrics on the dashboard that some process exports', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const metrics = expressions.flatMap((expr) => expr.match(/quarry_\w+/g) ?? []);
    expect(metrics.length).toBeGreaterThan(15);
    expect(metrics.filter((name) => !isExported(name))).toEqual([]);
  });

  (hasPromtool ? it : it.skip)('has rules that Prometheus accepts, and alerts when it should', () => {
    const all = rendered('production').filter(({ kind }) => kind === 'PrometheusRule');
    for (const { metadata, spec } of all)
      expect(run('check', 'rules', rules(`${metadata.name}.json`, spec))).toEqual({ status: 0, output: '' });
    const panels = expressions.map((expr, i) => ({ record: `quarry:panel_${i}`, expr }));
    const asRules = rules('dashboard.json', { groups: [{ name: 'dashboard', rules: panels }] });
    expect(run('check', 'rules', asRules)).toEqual({ status: 0, output: '' });
    rules('product-alerts.rules.yaml', all.find(({ metadata }) => metadata.name === 'quarry-product').spec);
    writeFileSync(join(folder, 'test.yaml'), read('k8s/components/monitoring/product-alerts.test.yaml'));
    expect(run('test', 'rules', 'test.yaml')).toEqual({ status: 0, output: '' });
  });
});
