// Import rules between libraries as data: eslint.config.mjs applies them, check-boundaries.mjs tests them.
// See docs/adr/0005 and the map in docs/architecture.md for the reasons.

/**
 * One row per kind of library. `open-to:*` marks exceptions, on the library that is open: the ledger, extraction, and the ports
 * of providers, models and mail to domains; runs to the libraries of their team; code shared by providers to each other; the
 * library that combines providers to composition; the error codes to the kernel; identity and the tools to the edge that calls
 * and serves them.
 */
export const ROWS = [
  row('type:app', [
    'type:composition',
    'type:edge',
    'type:domain',
    'type:provider',
    'type:contract',
    'type:kernel',
  ]),
  row('type:composition', [
    'type:domain',
    'type:provider',
    'type:edge',
    'type:contract',
    'type:kernel',
    'open-to:composition',
  ]),
  row('type:edge', ['type:contract', 'type:kernel', 'open-to:edge']),
  row('type:domain', ['type:contract', 'type:kernel', 'open-to:domain']),
  row('type:provider', ['type:contract', 'type:kernel', 'open-to:provider']),
  row('type:contract', ['type:contract']),
  // Runs outside Quarry, so it imports only libraries of its own type.
  row('type:client', ['type:client']),
  row('type:kernel', ['type:kernel', 'open-to:kernel']),
  row('type:testing', ['type:testing', 'type:provider', 'type:contract', 'type:kernel']),
  // Suites that run whole processes. No row allows importing them.
  row('type:suite', [
    'type:client',
    'type:testing',
    'type:composition',
    'type:edge',
    'type:domain',
    'type:provider',
    'type:contract',
    'type:kernel',
  ]),
  row('type:tools', ['type:edge', 'type:contract', 'type:kernel', 'type:testing']),
  row('type:bench', ['type:composition', 'type:domain', 'type:provider', 'type:contract', 'type:kernel']),
  // The public edge stays thin: it knows only the contract of the services, over RPC.
  {
    allSourceTags: ['type:app', 'scope:edge'],
    onlyDependOnLibsWithTags: ['type:edge', 'type:contract', 'type:kernel'],
  },
  // Second axis: a domain may import its own team's libraries, and those open to everybody.
  team('runs', ['scope:services', 'scope:money']),
  team('services', ['scope:money']),
  team('tables', []),
  team('money', []),
  team('edge', []),
  team('platform', []),
];

/** Rows for specs, which may also use the test harness; otherwise only the suites may. */
export const ROWS_OF_SPECS = ROWS.map((each) => ({
  ...each,
  onlyDependOnLibsWithTags: [...each.onlyDependOnLibsWithTags, 'type:testing'],
}));

/** Clients of other servers, by the library that wraps them: limits, timeouts and closing are in one place. */
export const LIBRARIES_OF_CLIENTS = {
  'libs/kernel/postgres': ['pg', 'typeorm'],
  // Queues are in Redis or PostgreSQL.
  'libs/kernel/queue': ['bullmq', 'ioredis', 'pg'],
  'libs/kernel/safe-http': ['undici'],
};
const FOREIGN_CLIENTS = [...new Set(Object.values(LIBRARIES_OF_CLIENTS).flat())];

/**
 * Returns the options of no-restricted-imports. ESLint does not merge them, so each library gets the whole list.
 * @param {{clients?: string[]}} [allowed] clients that the library may import
 */
export function restrictedImports({ clients = [] } = {}) {
  const paths = FOREIGN_CLIENTS.filter((name) => !clients.includes(name)).map((name) => ({
    name,
    message: `Only ${librariesOf(name).join(' and ')} may speak ${name}; use what is exported there.`,
  }));
  const patterns = [
    {
      group: ['@quarry/*/**', '../**/dist/**'],
      message: 'Import a library by its name: what its index does not export is its own affair.',
    },
    {
      group: ['node:process', 'process'],
      message: 'Use the global; the environment comes from an env class.',
    },
  ];
  return ['error', { paths, patterns }];
}

function librariesOf(client) {
  return Object.entries(LIBRARIES_OF_CLIENTS).flatMap(([library, clients]) =>
    clients.includes(client) ? [library] : [],
  );
}

function row(sourceTag, onlyDependOnLibsWithTags) {
  return { sourceTag, onlyDependOnLibsWithTags };
}

function team(name, others) {
  return {
    allSourceTags: ['type:domain', `scope:${name}`],
    onlyDependOnLibsWithTags: [`scope:${name}`, 'scope:platform', 'scope:shared', ...others],
  };
}
