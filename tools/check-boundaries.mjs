// Tests the import rules: plants an import in each forbidden direction and expects ESLint to refuse it, plants the allowed
// ones and expects them to pass, and searches the rules for rows that would allow everything.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { ROWS, ROWS_OF_SPECS } from './boundary-rules.mjs';
import { projectFolders } from './project-folders.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BOUNDARIES = ['@nx/enforce-module-boundaries'];
const IMPORTS = ['@typescript-eslint/no-restricted-imports'];
const PLANT = 'boundary-check-plant';
/** One library for each type; an import from each to each is tested. */
const LIBRARY_OF_TYPE = {
  'type:composition': 'libs/domains/composition',
  'type:edge': 'libs/edge/http',
  'type:domain': 'libs/domains/runs',
  'type:provider': 'libs/sources/imported',
  'type:contract': 'libs/contracts/dto',
  'type:kernel': 'libs/kernel/app',
  'type:testing': 'libs/testing/testing',
};

const types = (names) => names.split(' ').map((name) => `type:${name}`);
/** Repeated here instead of being read from the rules, so that a loosened rule is detected. */
const FORBIDDEN = {
  'type:composition': types('testing'),
  'type:edge': types('composition domain provider testing'),
  'type:domain': types('composition edge provider testing'),
  'type:provider': types('composition edge domain testing'),
  'type:contract': types('composition edge domain provider kernel testing'),
  'type:kernel': types('composition edge domain provider contract testing'),
  'type:testing': types('composition edge domain provider'),
};

/** Types of libraries that the harness depends on: importing it in their specs would be a cycle. */
const BELOW_THE_HARNESS = ['type:contract', 'type:kernel'];

const projects = projectFolders(ROOT).map((dir) => ({
  dir,
  ...JSON.parse(readFileSync(join(ROOT, dir, 'package.json'), 'utf8')),
}));
const nameOf = (dir) => projects.find((project) => project.dir === dir).name;
const faults = [...faultsOfRows(), ...faultsOfTags()];

const plants = [...plantsBetweenTypes(), ...otherPlants()];
faults.push(...(await lintAll(plants)));
for (const fault of faults) console.error(`  - ${fault}`);
const refused = plants.filter(({ rules }) => rules !== null).length;
console.log(
  `${plants.length} planted imports (${refused} to be refused, ${plants.length - refused} to be let in), ` +
    `${ROWS.length} rules, ${projects.length} projects: ${faults.length} faults`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Finds rows that allow everything, which would disable all others. */
function faultsOfRows() {
  return [...ROWS, ...ROWS_OF_SPECS].flatMap((row) => {
    const sources = row.allSourceTags ?? [row.sourceTag];
    const tags = [...sources, ...(row.onlyDependOnLibsWithTags ?? [])];
    if (!row.onlyDependOnLibsWithTags) return [`the rule of ${sources} names nothing that it allows`];
    return tags.some((tag) => !tag || tag.includes('*') || tag.startsWith('/'))
      ? [`the rule of ${sources} has a wildcard`]
      : [];
  });
}

/** Finds projects without tags, to which no rule applies. */
function faultsOfTags() {
  return projects.flatMap(({ dir, nx }) => {
    const tags = nx?.tags ?? [];
    const types = tags.filter((tag) => tag.startsWith('type:'));
    const isKnown = types.length === 1 && ROWS.some(({ sourceTag }) => sourceTag === types[0]);
    const scopes = tags.filter((tag) => tag.startsWith('scope:'));
    return isKnown && scopes.length === 1
      ? []
      : [`${dir} needs one known type:* tag and one scope:* tag; it has ${tags.join(', ') || 'none'}`];
  });
}

/** Returns an import for every pair of library types; for the harness also in specs, where it is allowed. */
function plantsBetweenTypes() {
  return Object.entries(LIBRARY_OF_TYPE).flatMap(([from, dir]) =>
    Object.entries(LIBRARY_OF_TYPE)
      .filter(([to]) => to !== from)
      .flatMap(([to, target]) => {
        const text = `import '${nameOf(target)}';`;
        const inSource = { dir, text, rules: FORBIDDEN[from].includes(to) ? BOUNDARIES : null };
        if (to !== 'type:testing') return [inSource];
        return [
          inSource,
          { ...inSource, spec: true, rules: BELOW_THE_HARNESS.includes(from) ? BOUNDARIES : null },
        ];
      }),
  );
}

/** Returns the source of an injectable class with one public method. */
function injectableWith(method) {
  return `import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class Plant {\n  ${method}(): void {}\n}`;
}

function otherPlants() {
  const refuse = (dir, text, rules = BOUNDARIES) => ({ dir, text, rules });
  const letIn = (dir, text) => ({ dir, text, rules: null });
  const importsOf = (rules) => (dir, names) =>
    names.split(' ').map((name) => ({ dir, text: `import '@quarry/${name}';`, rules }));
  const [refuseAll, letInAll] = [importsOf(BOUNDARIES), importsOf(null)];
  const providers = { vendors: 'vendors', web: 'web-sources', imported: 'imported', sandbox: 'sandbox' };
  return [
    // Libraries that start runs or share their workers may import runs; those of other teams may not. Each library registers
    // its part of an erasure with a type of the kernel.
    ...letInAll('libs/domains/monitors', 'runs'),
    ...letInAll('libs/domains/enrichments', 'runs'),
    ...letInAll('libs/domains/runs', 'credit-ledger research'),
    ...refuseAll('libs/domains/runs', 'tables privacy monitors enrichments identity'),
    ...refuseAll('libs/domains/privacy', 'tables runs'),
    ...refuseAll('libs/domains/tables', 'service-jobs runs credit-ledger'),
    ...refuseAll('libs/domains/service-jobs', 'runs'),
    ...letInAll('libs/domains/service-jobs', 'credit-ledger'),
    ...refuseAll('libs/domains/credit-ledger', 'runs service-jobs'),
    ...refuseAll('libs/domains/identity', 'runs http controllers credit-ledger'),
    ...refuseAll('libs/domains/monitors', 'enrichments'),
    ...refuseAll('libs/domains/enrichments', 'monitors'),
    ...refuseAll('libs/domains/fast-services', 'service-jobs tables'),
    ...letInAll('libs/domains/fast-services', 'credit-ledger'),
    ...letInAll('libs/domains/outreach', 'mail'),
    ...letInAll('libs/domains/composition', 'providers'),
    // A domain knows the ports of its providers, and rules without external calls. The implementations are chosen above it.
    ...['runs', 'service-jobs', 'fast-services', 'research'].flatMap((library) => [
      ...letInAll(`libs/domains/${library}`, 'engine extraction'),
      ...refuseAll(`libs/domains/${library}`, 'vendors web-sources imported sandbox providers'),
    ]),
    // The library that combines providers knows them all; they know the engine, but not each other.
    ...letInAll('libs/sources/providers', Object.values(providers).join(' ')),
    ...refuseAll('libs/sources/mail', 'outreach'),
    ...refuseAll('libs/sources/engine', 'vendors extraction'),
    ...Object.entries(providers).flatMap(([library, own]) => {
      const others = Object.values(providers).filter((name) => name !== own);
      return [
        ...letInAll(`libs/sources/${library}`, 'engine extraction'),
        ...refuseAll(`libs/sources/${library}`, `providers ${others.join(' ')}`),
      ];
    }),
    // The vocabulary does not depend on records, nor plans on their compiler, nor records on the directories that have them.
    ...refuseAll('libs/contracts/vocabulary', 'directory'),
    ...refuseAll('libs/contracts/plan', 'plan-compiler'),
    ...refuseAll('libs/contracts/directory', 'providers'),
    ...['sources/vendors', 'domains/runs', 'domains/fast-services', 'contracts/service-catalog'].flatMap(
      (library) => letInAll(`libs/${library}`, 'directory'),
    ),
    // Cycles between libraries that may import each other. The libraries of every process do not depend on the database, nor
    // the database on queues.
    ...refuseAll('libs/contracts/error-codes', 'dto'),
    ...refuseAll('libs/kernel/local-postgres', 'postgres'),
    ...refuseAll('libs/kernel/app', 'dto postgres'),
    ...refuseAll('libs/kernel/postgres', 'queue'),
    ...letInAll('libs/kernel/app', 'error-codes'),
    // The libraries that receive requests do not depend on the controllers.
    ...letInAll('libs/edge/controllers', 'http'),
    ...letInAll('libs/edge/http', 'identity'),
    ...refuseAll('libs/edge/http', 'controllers'),
    ...refuseAll('libs/edge/mcp', 'controllers'),
    ...letInAll('apps/gateway', 'controllers http'),
    ...refuseAll(
      'apps/gateway',
      'runs tables service-jobs fast-services credit-ledger providers composition',
    ),
    ...letInAll('apps/local', 'composition'),
    ...refuseAll('apps/local', 'testing'),
    ...letInAll('apps/faults', 'testing composition controllers http service-jobs providers'),
    refuse('apps/local', `import '../../gateway/src/gateway.env.js';`),
    ...['apps/local', 'libs/testing/testing', 'libs/domains/composition', 'apps/faults'].map((dir) =>
      refuse(dir, `import '${relative(`${dir}/src`, 'apps/e2e')}/src/local/conversations.fixture.js';`),
    ),
    refuse('libs/domains/runs', `import '../../../kernel/app/src/index.js';`),
    refuse('libs/domains/runs', `import '@quarry/app/src/index.js';`, IMPORTS),
    ...['typeorm', 'bullmq', 'ioredis', 'undici', 'pg'].flatMap((client) =>
      [
        'libs/domains/runs',
        'libs/edge/http',
        'libs/domains/composition',
        'apps/local',
        'libs/kernel/app',
      ].map((dir) => refuse(dir, `import '${client}';`, IMPORTS)),
    ),
    letIn('libs/kernel/postgres', `import 'typeorm';`),
    refuse('libs/kernel/postgres', `import 'bullmq';`, IMPORTS),
    letIn('libs/kernel/queue', `import 'bullmq';`),
    ...['query', 'queryOne'].map((call) =>
      refuse(
        'libs/domains/runs',
        `import type { Ctx } from '@quarry/app';
         import type { Database } from '@quarry/postgres';
         const sql = ['SELECT', '1'].join(' ');
         export const planted = (database: Database, ctx: Ctx) => database.${call}(ctx, sql);`,
        ['quarry/typed-statements'],
      ),
    ),
    ...['What is left of a budget.', 'How soon it ends.', 'Whether it ends.', 'Who ends it.'].map((text) =>
      refuse('libs/domains/runs', `/** ${text} */\nexport const planted = 1;`, ['quarry/doc-comments']),
    ),
    refuse('libs/domains/runs', `/**\n * Whose turn it is.\n */\nexport const planted = 1;`, [
      'quarry/doc-comments',
    ]),
    letIn(
      'libs/domains/runs',
      `/** The rest of a budget. Whatever ends it is logged. */\nexport const planted = 1;`,
    ),
    refuse('libs/edge/http', `void process.env.HOME;`, ['no-restricted-properties']),
    refuse('apps/local', `import { env } from 'node:process';\nvoid env;`, IMPORTS),
    letIn('libs/kernel/app', `void process.env.HOME;`),
    refuse('libs/edge/http', `export * from './http/gate.js';`, ['no-restricted-syntax']),
    refuse('libs/domains/research', injectableWith('create'), ['no-restricted-syntax']),
    letIn('libs/domains/research', injectableWith('createRun')),
  ];
}

async function lintAll(all) {
  const eslint = new ESLint({ cwd: ROOT });
  const files = all.map(({ dir, spec }, i) =>
    join(ROOT, dir, 'src', `${PLANT}-${i}${spec ? '.spec' : ''}.ts`),
  );
  try {
    // All files are written before the first one is linted, so that the compiler's project is opened once.
    all.forEach(({ text }, i) => writeFileSync(files[i], `${text}\n`));
    const results = await eslint.lintFiles(files);
    return all.flatMap((plant, i) => {
      const messages = results.find(({ filePath }) => filePath === files[i])?.messages ?? [];
      const raised = messages.map(({ ruleId, message }) => ruleId ?? message);
      const what = `${plant.spec ? 'a spec of ' : ''}${plant.dir}: ${plant.text.split('\n')[0]}`;
      if (plant.rules === null) return raised.length > 0 ? [`refused but allowed, ${what} (${raised})`] : [];
      return plant.rules.some((rule) => raised.includes(rule)) ? [] : [`let in, ${what} (${raised})`];
    });
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}
