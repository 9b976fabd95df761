// Rules of imports between libraries, as data: read by eslint.config.mjs and put to the test by check-boundaries.mjs.
// docs/adr/0005 and the map in docs/architecture.md say why.

/**
 * One row per library. `open-to:*` are the exceptions, written on the library that is open: the ledger, extraction, and the ports of providers, models and mail,
 * to domains, runs to the libraries of their team, what providers share to each other, who lines them up to composition, the error codes to the kernel, and identity and
 * the tools to the edge that asks and serves them.
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
  // Runs where Quarry does not: it imports nothing but itself.
  row('type:client', ['type:client']),
  row('type:kernel', ['type:kernel', 'open-to:kernel']),
  row('type:testing', ['type:testing', 'type:provider', 'type:contract', 'type:kernel']),
  // Suites that run whole processes; no row names them, so nobody imports them.
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
  // The public edge stays thin: what it knows of the services is their contract, over RPC.
  {
    allSourceTags: ['type:app', 'scope:edge'],
    onlyDependOnLibsWithTags: ['type:edge', 'type:contract', 'type:kernel'],
  },
  // Second axis: a domain sees its own team's libraries, and what is meant for everybody.
  team('runs', ['scope:services', 'scope:money']),
  team('services', ['scope:money']),
  team('tables', []),
  team('money', []),
  team('edge', []),
  team('platform', []),
];

/** Specs may also use the test harness, which else only the suites may. */
export const ROWS_OF_SPECS = ROWS.map((each) => ({
  ...each,
  onlyDependOnLibsWithTags: [...each.onlyDependOnLibsWithTags, 'type:testing'],
}));

/** Clients of other servers, by the library that wraps them, so that limits, time-outs and closing are in one place. */
export const LIBRARIES_OF_CLIENTS = {
  'libs/kernel/postgres': ['pg', 'typeorm'],
  // Queues live in Redis or in PostgreSQL.
  'libs/kernel/queue': ['bullmq', 'ioredis', 'pg'],
  'libs/kernel/safe-http': ['undici'],
};
const FOREIGN_CLIENTS = [...new Set(Object.values(LIBRARIES_OF_CLIENTS).flat())];

/**
 * Options of no-restricted-imports, which ESLint does not merge: each library gets the whole list.
 * @param {{clients?: string[]}} [allowed] foreign clients
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
