import { migratedDatabase } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { Database, declaredStatements } from '@quarry/postgres';
import { PLAN_LIBRARIES, planCases } from '../tools/statement-plans.cases.ts';
import { PLAN_TABLES, planSeeds, WORKSPACES } from '../tools/statement-plans.seeds.ts';
import { alternate, withCpu } from './harness/alternation.mjs';
import { ROOT } from './harness/child-process.mjs';
import { quantile, ratioOf } from './harness/statistics.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'each list that a statement answers, of an organisation with much of everything, beside one with 10,000';

/** Number of entries. --entries=1000000 makes the full run, whose data takes some minutes to insert. */
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 100_000);
const YOUNG = { name: 'young', rows: 10_000, firstRowSet: 1 };
const PAGES = 20;

export async function run({ life, report, settings }) {
  const old = { name: 'old', rows: ENTRIES, firstRowSet: 1 + YOUNG.rows };
  const cluster = await openCluster(life);
  await seed(cluster.url, [YOUNG, old]);
  for (const library of PLAN_LIBRARIES) await import(`${ROOT}${library}/dist/index.js`);
  // As a role to which row-level security applies.
  const database = await life.open(
    'database',
    () => Database.open({ url: cluster.workingUrl, applicationName: 'bench' }),
    (part) => part.close(),
  );
  const timed = (organisation, i) =>
    timedList(database, organisation, i, { asking: process.pid, PostgreSQL: cluster.pid });
  const values = { young: {}, old: {} };
  // One list at a time, so that the two values of a pair are measured directly after each other.
  for (const i of listsOf(YOUNG).keys()) {
    const sides = { young: () => timed(YOUNG, i), old: () => timed(old, i) };
    const ofList = await alternate(sides, settings.rounds, settings.onRound);
    for (const side of Object.keys(values)) Object.assign(values[side], ofList[side]);
  }
  report.addTable(
    `a page of 50, ${ENTRIES.toLocaleString('en')} of each beside ${YOUNG.rows.toLocaleString('en')}: p50 ms and CPU µs`,
    values,
  );
  for (const list of listsThatFindAlike(YOUNG, old)) {
    const ratio = ratioOf(values.old[`${list}, ms`], values.young[`${list}, ms`]).median;
    report.addGoal(`${list}: time, old / young`, ratio, 'at most', 2);
  }
}

/** Returns lists whose results do not grow and that skip no rows by an offset, which `list-pages` measures. */
function listsThatFindAlike(young, old) {
  const ofOld = listsOf(old);
  return listsOf(young)
    .filter(({ finds, as }, i) => finds === ofOld[i].finds && !as?.includes('deep'))
    .map(nameOf);
}

const statementOf = ({ name }) => declaredStatements().find((each) => each.name === name);
/** Returns the statements of an organisation that only read. */
const listsOf = (organisation) =>
  planCases(organisation, WORKSPACES).filter(
    (each) => !each.isSystem && !/\b(INSERT|UPDATE|DELETE)\b/.test(statementOf(each).text),
  );
const nameOf = ({ name, as }) => (as ? `${name}, ${as}` : name);

async function seed(url, organisations) {
  const database = await migratedDatabase(url, 'bench');
  await database.withConnection(async (client) => {
    await client.query('SET statement_timeout = 0');
    for (const statement of planSeeds(organisations)) await client.query(statement);
    for (const table of PLAN_TABLES) await client.query(`VACUUM (ANALYZE) ${table}`);
  });
  await database.close();
}

async function timedList(database, organisation, i, processes) {
  const ctx = systemCtx('bench', `org_${organisation.name}`);
  const list = listsOf(organisation)[i];
  const statement = statementOf(list);
  const tookMs = [];
  const { cpuMicros } = await withCpu(processes, async () => {
    for (let page = 0; page < PAGES; page += 1) {
      const from = performance.now();
      await database.query(ctx, statement, list.params);
      tookMs.push(performance.now() - from);
    }
    return { operations: PAGES, seconds: 1 };
  });
  return {
    [`${nameOf(list)}, ms`]: quantile(tookMs, 0.5),
    ...(cpuMicros !== undefined && { [`${nameOf(list)}, CPU µs`]: cpuMicros }),
  };
}
