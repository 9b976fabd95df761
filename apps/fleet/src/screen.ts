import type { Credentials } from '@quarry/installation';
import type { PlannedProcess } from './fleet-plan.js';

export interface ScreenFacts {
  /** Link that signs in to the web application, once. */
  link: string;
  gateways: readonly string[];
  processes: readonly PlannedProcess[];
  /** Backend of the queues: `Redis` or `PostgreSQL`. */
  queues: string;
  credentials: Credentials;
  credentialsFile: string;
  /** True if this start has created the key, which is shown once. */
  isFirst: boolean;
}

/** @returns the start screen of a fleet: a sign-in link, its addresses, the file of the key, and the metrics of each process */
export function fleetScreen(facts: ScreenFacts): string {
  const { link, gateways, processes, queues, credentials, credentialsFile, isFirst } = facts;
  const width = Math.max(...processes.map(({ name }) => name.length));
  const key = isFirst
    ? `${credentials.api_key} (shown only once; stored in the file below)`
    : 'in the file below, as "api_key"';
  return `
  Quarry is ready: ${processes.length} processes, queues in ${queues}. Open it (this link signs you in once, within 10 minutes):

  ${link}

  API          ${gateways.join('\n               ')}
  API key      ${key}
  Credentials  ${credentialsFile}

  Metrics and health of each process (/metrics, /healthz, /readyz):

${processes.map(({ name, metricsPort }) => `  ${name.padEnd(width)}  http://127.0.0.1:${metricsPort}`).join('\n')}

  Put what you like in front of the gateways: they share keys, limits and state.
  A process that ends is started again. Press Ctrl-C to stop.
`;
}
