import type { Credentials } from '@quarry/installation';
import type { PlannedProcess } from './fleet-plan.js';

export interface ScreenFacts {
  gateways: readonly string[];
  processes: readonly PlannedProcess[];
  /** `Redis` or `PostgreSQL`. */
  queues: string;
  credentials: Credentials;
  credentialsFile: string;
  /** True where this start made the key: it is shown once. */
  isFirst: boolean;
}

/** @returns what somebody needs once the fleet is up: its addresses, where the key is, and where each process's metrics are */
export function fleetScreen(facts: ScreenFacts): string {
  const { gateways, processes, queues, credentials, credentialsFile, isFirst } = facts;
  const width = Math.max(...processes.map(({ name }) => name.length));
  const key = isFirst
    ? `${credentials.api_key} (shown this once; kept in the file below)`
    : 'in the file below, as "api_key"';
  return `
  Quarry is ready: ${processes.length} processes, queues in ${queues}.

  API          ${gateways.join('\n               ')}
  API key      ${key}
  Credentials  ${credentialsFile}

  Metrics and health of each process (/metrics, /healthz, /readyz):

${processes.map(({ name, metricsPort }) => `  ${name.padEnd(width)}  http://127.0.0.1:${metricsPort}`).join('\n')}

  Put what you like in front of the gateways: they share keys, limits and state.
  A process that ends is started again. Press Ctrl-C to stop.
`;
}
