// An agent, the services side and the line workers in one process, with providers that respond after a fixed time: a run over a
// table with a number of rows, five of whose columns services fill.
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  AgentPortsModule,
  createOrganisation,
  migratedDatabase,
  TablePortsModule,
} from '@quarry/composition';
import { ModelsModule, PlannerModule } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { FAST_SERVICES_RPC, MONITORS_RPC, QUEUES, RUNS_RPC } from '@quarry/dto';
import { FastServicesModule } from '@quarry/fast-services';
import { createLogger, newId, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { QueueBus } from '@quarry/queue';
import { Providers } from '@quarry/engine';
import { EnrichmentsModule } from '@quarry/enrichments';
import { MonitorsModule } from '@quarry/monitors';
import { RunAgentModule, RunsModule, TableWriterPort, WorkspacePort } from '@quarry/runs';
import { JobWorkerModule } from '@quarry/service-jobs';
import { serveCommands } from '../harness/child-process.mjs';

/** Answers of the services that the run calls, as the contract defines them. */
const OUTPUTS = {
  findDomain: ({ company }) => ({ domain: `${company}.example`, confidence: 'high' }),
  findLinkedInUrl: ({ name }) => ({
    linkedin_url: `https://www.linkedin.com/in/${name}`,
    confidence: 'high',
  }),
  verifyEmail: ({ email }) => ({ email, status: 'valid', reason: 'It was asked.', mx_host: null }),
  classifyText: ({ labels }) => ({ label: labels[0], confidence: 'high', reasoning: null }),
  getEmail: ({ domain }) => ({ found: true, email: `ada@${domain}`, status: 'verified', confidence: 'high' }),
  getPhoneNumber: () => ({
    found: true,
    phone_number: '+4930901820',
    phones: [
      { number: '+4930901820', country: 'DE', line_type: 'unknown', line_status: 'unknown', source: 'bench' },
    ],
  }),
  webResearch: () => ({ found: true, answer: 'It is so.', confidence: 'high', sources: [] }),
  getLinkedInUserComments: () => ({ found: true, comments: [] }),
  getLinkedInUserReactions: () => ({ found: true, reactions: [] }),
};
const PROFILE = { linkedin_url: { value: 'https://www.linkedin.com/in/{{firm}}' } };
const columnsOf = (filled) =>
  filled.map(([service, inputs, key]) => ({
    source: { from: 'service', service, inputs },
    key,
    required: false,
    fragments: [],
    from: 'user',
  }));
/** Columns of slow services that do not depend on each other. */
const SLOW_COLUMNS = columnsOf([
  ['getEmail', { first_name: 'first', last_name: 'last', domain: { value: '{{firm}}.example' } }, 'mail'],
  ['getPhoneNumber', PROFILE, 'phone'],
  ['webResearch', { question: { value: 'Who leads {{firm}}?' } }, 'lead'],
  ['getLinkedInUserComments', PROFILE, 'comments'],
  ['getLinkedInUserReactions', PROFILE, 'reactions'],
]);
/** Columns on three levels: a domain, the address at it and the topic of the domain, then whether the address is valid. */
const COLUMNS = columnsOf([
  ['findDomain', { company: 'firm' }, 'site'],
  ['findLinkedInUrl', { name: 'firm' }, 'profile'],
  ['getEmail', { first_name: 'first', last_name: 'last', domain: 'site' }, 'mail'],
  ['classifyText', { text: { value: 'About {{site}}' }, labels: { value: ['firm', 'person'] } }, 'label'],
  ['verifyEmail', { email: 'mail' }, 'verdict'],
]);

await serveCommands(async ({ url, providerMs, placesOfService = Infinity }) => {
  const inWork = { fast: 0, slow: 0 };
  const places = Object.fromEntries(Object.keys(OUTPUTS).map((name) => [name, pLimit(placesOfService)]));
  const run = async (kind, { service, input }) => {
    const ask = async () => {
      inWork[kind] += 1;
      await delay(providerMs);
      inWork[kind] -= 1;
    };
    await (kind === 'slow' ? places[service](ask) : ask());
    const output = { ...OUTPUTS[service](input), ...(kind === 'slow' ? { provider: 'bench' } : {}) };
    return { found: true, deep: false, provider: 'bench', output };
  };
  const providers = {
    searcherFor: () => ({ answerCall: (call) => run('slow', call) }),
    lookupFor: () => Promise.resolve({ answerCall: (call) => run('fast', call) }),
    directorySearchFor: () => Promise.resolve(null),
    providersFor: () => Promise.resolve(() => ['bench']),
    directoriesFor: () => Promise.resolve({ companies: null, people: null }),
    vocabularyFor: () => Promise.resolve(null),
    pagesFor: () => null,
    readMetrics: () => [],
  };
  class ProvidersOfBench {}
  Module({})(ProvidersOfBench);
  const bound = { provide: Providers, useValue: providers };
  const answering = { module: ProvidersOfBench, global: true, providers: [bound], exports: [Providers] };
  const logger = createLogger('bench', 'error');
  const database = await migratedDatabase(url, 'bench');
  const queues = await QueueBus.open(QUEUES, { url });
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1_000_000 });
  const ctx = systemCtx('bench', orgId);
  const services = await openLocalCalls({
    database,
    logger,
    apis: [FAST_SERVICES_RPC],
    modules: [answering, TablePortsModule, FastServicesModule],
  });
  const agent = await openLocalCalls({
    database,
    queues,
    logger,
    apis: [RUNS_RPC, MONITORS_RPC],
    cursorSecret: 'bench',
    modules: [
      answering,
      TablePortsModule,
      AgentPortsModule.forRoot(services.rpc),
      ModelsModule.forRoot(null),
      PlannerModule.forRoot('rules', new RulesPlanner()),
      RunsModule.forRoot({ appUrl: 'http://app.test' }),
      MonitorsModule,
      EnrichmentsModule,
      JobWorkerModule.forRoot({
        queueNames: Object.keys(QUEUES).filter((name) => name.startsWith('service-')),
        drainMs: 1_000,
      }),
      RunAgentModule.forRoot(),
    ],
  });

  async function tableOf(rows) {
    const workspaceId = await database.transaction(ctx, (tx) =>
      agent.get(WorkspacePort).createWorkspace(tx, `Bench ${newId('tbl')}`),
    );
    const id = newId('tbl');
    const columns = ['firm', 'first', 'last'].map((key) => ({
      key,
      name: key,
      kind: 'text',
      qualification: {},
    }));
    const tables = agent.get(TableWriterPort);
    await tables.createTable(ctx, { id, workspaceId, name: 'Benchfirms', columns });
    const mark = id.slice(-8);
    for (let i = 0; i < rows; i += 100)
      await tables.appendRows(
        ctx,
        id,
        Array.from({ length: Math.min(100, rows - i) }, (_, n) => ({
          id: newId('row'),
          cells: {},
          values: { firm: `${mark}x${i + n}`, first: 'Ada', last: 'Bench' },
          fit: { status: 'unknown', score: null, reason: null, criteria: [] },
        })),
      );
    return workspaceId;
  }

  async function runOver(workspaceId, rows, columns) {
    const body = { prompt: 'From my table "Benchfirms": everyone', workspace_id: workspaceId };
    const plan = JSON.parse(await agent.rpc.call(ctx, RUNS_RPC.createPlan, { body }));
    const count = { value: rows, fragments: [], from: 'user' };
    const intent = { ...plan.intent, count, columns };
    return agent.rpc.call(ctx, RUNS_RPC.createRunOfPlan, { planId: plan.id, intent });
  }

  const answer = async ({ rows, isSlow = false }) => {
    const { id } = await runOver(await tableOf(rows), rows, isSlow ? SLOW_COLUMNS : COLUMNS);
    const samples = [];
    const startedAt = performance.now();
    let shown;
    do {
      await delay(10);
      samples.push({ ...inWork });
      if (samples.length % 20 === 0)
        shown = JSON.parse(await agent.rpc.call(ctx, RUNS_RPC.getRun, { runId: id }));
    } while (!shown || ['queued', 'running'].includes(shown.status));
    const seconds = (performance.now() - startedAt) / 1000;
    if (shown.status !== 'completed') throw new Error(JSON.stringify(shown));
    const ledger = await database.queryOne(
      ctx,
      "SELECT count(*)::int AS n, sum(amount)::int AS sum FROM credits.transfers WHERE run_id = $1 AND kind = 'post'",
      [id],
    );
    const mean = (kind) => samples.reduce((sum, each) => sum + each[kind], 0) / samples.length;
    const busy = samples.filter(({ fast }) => fast > 0);
    const slowBusy = samples.filter(({ slow }) => slow > 0);
    return {
      seconds,
      message: shown.message,
      charges: ledger,
      inWork: mean('fast') + mean('slow'),
      fastWhileBusy: busy.reduce((sum, { fast }) => sum + fast, 0) / busy.length,
      slowWhileBusy: slowBusy.reduce((sum, { slow }) => sum + slow, 0) / slowBusy.length,
      most: Math.max(...samples.map(({ fast, slow }) => fast + slow)),
    };
  };
  const close = async () => {
    await agent.close();
    await services.close();
  };
  return { answer, close };
});
