// The dashboard for Grafana: panels as data, two per row. tools/kubernetes/alerts.manifest-spec.ts checks its metrics against
// the exported ones.

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const WIDTH = 12;
const HEIGHT = 8;

/** The panels: a line with title and Grafana unit, and below it the expression and legend of each of its series. */
const PANELS = `
Requests a second, by route | reqps
  sum by (method, route) (rate(quarry_http_answers_total{route!="unknown"}[5m])) | {{method}} {{route}}
Answers that are no success, by status | reqps
  sum by (status) (rate(quarry_http_answers_total{status!~"2.."}[5m])) | {{status}}
Slowest twentieth of requests, by route | s
  histogram_quantile(0.95, sum by (le, route) (rate(quarry_http_answer_seconds_bucket{route!="unknown"}[5m]))) | {{route}}
Calls between services a second | reqps
  sum by (call) (rate(quarry_calls_total[5m])) | {{call}}
Calls that were refused or failed, by code | reqps
  sum by (call, outcome) (rate(quarry_calls_total{outcome!="ok"}[5m])) | {{call}} {{outcome}}
Slowest twentieth of calls | s
  histogram_quantile(0.95, sum by (le, call) (rate(quarry_call_seconds_bucket[5m]))) | {{call}}
Open lines, by service and state | short
  max by (service, state) (quarry_open_lines) | {{service}} {{state}}
Age of the oldest open line | s
  max by (service) (quarry_oldest_open_line_seconds) | {{service}}
Leases a second, by what became of them | ops
  sum by (work, event) (rate(quarry_leases_total[5m])) | {{work}} {{event}}
Waits for a connection to the database | s
  sum by (app, connections) (rate(quarry_database_wait_seconds_total[5m])) | {{app}} {{connections}}, seconds a second
  max by (app, connections) (quarry_database_lane_still_seconds) | {{app}} {{connections}} stands still
Statements and work on connections | short
  sum by (app, connections) (quarry_database_connections_used) | {{app}} {{connections}} used
  sum by (app, connections) (quarry_database_waiting) | {{app}} {{connections}} waiting
  sum by (app, connections) (quarry_database_lane_statements) | {{app}} {{connections}} in flight
Bodies that were refused for want of memory, and turns that did not come | ops
  sum by (app, body) (rate(quarry_body_budget_refusals_total[5m])) | {{app}} {{body}}
  sum by (app, connections) (rate(quarry_database_wait_refusals_total[5m])) | {{app}} {{connections}}
Memory that large bodies take | bytes
  max by (app, body) (quarry_body_budget_taken_bytes) | {{app}} {{body}}
  max by (app, body) (quarry_body_budget_bytes) | {{app}} {{body}} at most
Runs that have not ended | short
  max by (status) (quarry_active_runs) | {{status}}
Calls of providers a second, by outcome | reqps
  sum by (provider, outcome) (rate(quarry_provider_calls_total[5m])) | {{provider}} {{outcome}}
Providers: searches that wait, breakers that are open | short
  sum by (provider) (quarry_provider_searches_waiting) | {{provider}} waiting
  max by (provider) (quarry_provider_breaker_open) | {{provider}} breaker
Credits that are set aside | short
  max by (mode) (quarry_held_credits) | {{mode}}
Ledger: faults, and age of the check | short
  max(quarry_ledger_faults) | faults
  max(quarry_ledger_check_age_seconds) | seconds since the check
Overdue for removal | s
  max by (what) (quarry_retention_overdue_seconds) | {{what}}
Memory, by process | bytes
  process_resident_memory_bytes{app=~".+"} | {{app}} {{pod}}
CPU, by process | percentunit
  rate(process_cpu_seconds_total{app=~".+"}[5m]) | {{app}} {{pod}}
`
  .trim()
  .split(/\n(?! )/)
  .map((panel) => panel.split('\n').map((line) => line.trim().split(' | ')));

export const path = 'k8s/components/monitoring/dashboard.json';

/** @returns {string} the text of the file */
export function render() {
  const dashboard = {
    title: 'Quarry',
    uid: 'quarry',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: PANELS.map(([[title, unit], ...targets], i) => ({
      id: i + 1,
      type: 'timeseries',
      title,
      datasource: DATASOURCE,
      gridPos: { x: (i % 2) * WIDTH, y: Math.floor(i / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: targets.map(([expr, legendFormat], n) => ({
        refId: 'ABCDEF'[n],
        datasource: DATASOURCE,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
