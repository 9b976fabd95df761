import { keyOf, read, workloadsOf, type Manifest } from './manifest-kit.js';

/** Page with a runbook for each alert. */
const OPERATIONS = read('docs/operations.md');
const METRICS = [
  'libs/domains/composition/src/product-metrics.ts',
  'libs/sources/providers/src/provider-metrics.ts',
  'libs/kernel/app/src/telemetry/traffic-metrics.ts',
  'libs/kernel/app/src/telemetry/work-metrics.ts',
  'libs/kernel/postgres/src/database/database-metrics.ts',
]
  .map(read)
  .join('\n');
/** Teams that own something in the repository. */
const TEAMS = new Set([...read('CODEOWNERS').matchAll(/@quarry\/(\w+)/g)].map(([, team]) => team));
/** Returns whether a metric is exported; a histogram is queried by its parts. */
export const isExported = (name: string): boolean =>
  METRICS.includes(`name: '${name.replace(/_(bucket|count|sum)$/, '')}'`);

/** @returns alerts about metrics that are not exported, alerts without a runbook, and resources without a team of CODEOWNERS */
export function faultsOfAlerts(all: Manifest[]): string[] {
  const alerts: Manifest[] = all
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => spec.groups.flatMap(({ rules }: Manifest) => rules));
  return [
    ...alerts
      .flatMap(({ expr }) => [...expr.matchAll(/quarry_\w+/g)].map(([name]) => name as string))
      .filter((name) => !isExported(name))
      .map((name) => `an alert is about ${name}, which nobody exports`),
    ...alerts
      .filter(({ alert }) => !OPERATIONS.includes(`\n### ${alert}\n`))
      .map(({ alert }) => `the alert ${alert} has no runbook`),
    ...alerts
      .filter(({ labels }) => !TEAMS.has(labels?.team))
      .map(({ alert }) => `the alert ${alert} is no team's`),
    ...workloadsOf(all)
      .filter(({ metadata }) => !TEAMS.has(metadata.labels?.['quarry/team']))
      .map((each) => `${keyOf(each)} is no team's`),
  ];
}
