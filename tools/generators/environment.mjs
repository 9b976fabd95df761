// The environment of all apps, from their environment classes: each variable once, in groups by what it is for.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EnvError, envVarsOf, loadEnv } from '@quarry/app';

/** In the order in which a reader meets them. */
const APPS = ['local', 'fleet', 'admin', 'gateway', 'tables', 'runs-agent', 'jobs-worker'];

/** A variable stands in the first group whose pattern matches it. */
const GROUPS = [
  ['Addresses and data', /^(PORT|HOST|BASE_URL|APP_URL|DATA_DIR|WEB_DIR|TRUSTED_PROXIES|MCP_ORIGINS)$/],
  ['Database and queues', /^(DATABASE_|QUEUE_URL$|REDIS_URL$|OWN_REDIS$|WORKER_QUEUES$)/],
  ['Secrets', /^(CURSOR_SECRET|ENCRYPTION_KEYS)$/],
  [
    'Providers of data',
    /^(SANDBOX$|PROVIDERS_FILE$|VENDOR_|SEARXNG_URL$|JOB_BOARD_URLS$|DESTINATION_URLS$|NEWS_FEED_URL$)/,
  ],
  ['Keys of vendors', /^(?!MODEL_|VENDOR_).*_KEY$(?<!RPC_TLS_KEY)/],
  ['Language model', /^(MODEL_|PLANNER$)/],
  ['Pages, names and mail servers of others', /^(FETCH_|DNS_|SMTP_|CHROMIUM_)/],
  ['Calls between processes', /_RPC_URL$|^RPC_|^SERVICES_RPC$/],
  [
    'Sizes, limits and stops',
    /^(RATE_|GO_SYNC|SEARCH_DEADLINE_MS$|AGENT$|LEASE_MS$|DRAIN_MS$|SHUTDOWN_DELAY_MS$)|^(GATEWAYS|TABLES|RUNS_AGENTS|SERVICES|WORKERS)$/,
  ],
  ['How long things are kept', /_DAYS$/],
  ['Logs, metrics and traces', /^(LOG_LEVEL$|METRICS_|OTEL_)/],
];

/**
 * Reads the environment classes of all apps.
 * @param root folder of the repository, built
 * @returns groups with a title and variables; each has its name, whether it is a secret, and who reads it with which default and
 * meaning, those alike together
 * @throws Error for an app or a variable that has no place here yet
 */
export async function environmentGroups(root) {
  const variables = new Map();
  for (const { app, type } of await environments(root))
    for (const { name, doc, isRequired } of variablesOf(type)) {
      const { description, default: usual = '', secret: isSecret = false } = doc;
      const variable = variables.get(name) ?? { name, isSecret, meanings: [] };
      const alike = variable.meanings.find(
        (each) => each.description === description && each.usual === usual && each.isRequired === isRequired,
      );
      if (alike) alike.apps.push(app);
      else variable.meanings.push({ apps: [app], description, usual, isRequired });
      variables.set(name, variable);
    }
  const groups = GROUPS.map(([title]) => ({ title, variables: [] }));
  for (const variable of variables.values()) {
    const at = GROUPS.findIndex(([, pattern]) => pattern.test(variable.name));
    if (at < 0) throw new Error(`Name ${variable.name} in GROUPS of tools/generators/environment.mjs.`);
    groups[at].variables.push(variable);
  }
  return groups;
}

async function environments(root) {
  const found = readdirSync(join(root, 'apps')).filter((app) => envFileOf(root, app) !== undefined);
  const unknown = found.filter((app) => !APPS.includes(app));
  if (unknown.length > 0) throw new Error(`Name ${unknown} in APPS of tools/generators/environment.mjs.`);
  return Promise.all(
    APPS.filter((app) => found.includes(app)).map(async (app) => {
      const classes = await import(pathToFileURL(join(root, 'apps', app, 'dist', envFileOf(root, app))).href);
      return { app, type: Object.values(classes)[0] };
    }),
  );
}

function envFileOf(root, app) {
  const dist = join(root, 'apps', app, 'dist');
  // The suites are not built.
  return existsSync(dist) ? readdirSync(dist).find((file) => file.endsWith('.env.js')) : undefined;
}

function variablesOf(type) {
  const required = new Set(faultsWithoutAny(type).map((fault) => fault.split(':')[0]));
  return [...envVarsOf(type)].map(([name, doc]) => ({ name, doc, isRequired: required.has(name) }));
}

function faultsWithoutAny(type) {
  try {
    loadEnv(type, {});
    return [];
  } catch (error) {
    if (error instanceof EnvError) return error.faults;
    throw error;
  }
}
