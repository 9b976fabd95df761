import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { createLogger, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { QueueBus } from '@quarry/queue';
import { Providers } from '@quarry/engine';
import { BatchStore, ServiceJobsModule } from '@quarry/service-jobs';
import { ModelServer, VendorSimulator } from '@quarry/test-servers';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startApp, untilOk } from './harness/child-process.mjs';
import { idleMemoryMb, withPeak } from './harness/peak-memory.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'webResearch lines on one worker: a search, two pages of 100 kB and four steps of a model that takes 200 ms';

const QUEUE = 'service-web-research';
const MODEL_MS = 200;
const PAGE_BYTES = 100_000;
const SITES = 25;
const AT_ONCE = 50;
/** Number of sequential lines: as many as the concurrent ones would take half a minute. */
const ALONE = 5;
/** Megabytes. With an idle worker's 200 MB this is below the memory limit of a worker's container. */
const MORE_MB = 450;

const sentenceOf = (firm) => `Firm ${firm} makes quiet pumps number ${firm} in Leeds.`;

export async function run({ life, report, settings }) {
  const { url, workingUrl } = await openCluster(life);
  const sites = await openSites(life);
  const siteOf = (firm) => sites[firm % SITES];
  const search = await life.open(
    'search',
    () => VendorSimulator.start({ key: null, refusal: { status: 401 } }),
    (part) => part.stop(),
  );
  search.playAlways(({ query }) => {
    const firm = /\d+/.exec(query.q)[0];
    const results = ['a', 'b'].map((page) => ({
      url: `${siteOf(firm)}/${firm}/${page}`,
      title: page,
      content: '',
    }));
    return { body: { results } };
  });
  const model = await life.open(
    'model',
    () => ModelServer.start('openai'),
    (part) => part.stop(),
  );
  model.play(async ({ promptText }) => {
    await delay(MODEL_MS);
    return turnAfter(promptText, siteOf);
  });
  const lines = await openLines(life, url);
  const metricsPort = await freePort();
  const worker = await life.open(
    'jobs-worker',
    async () =>
      startApp('jobs-worker', {
        DATABASE_URL: workingUrl,
        QUEUE_URL: url,
        WORKER_QUEUES: QUEUE,
        RPC_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
        CURSOR_SECRET: 'a secret of the benchmark, 32 characters and more',
        SEARXNG_URL: search.url,
        MODEL_WIRE: 'openai',
        MODEL_URL: model.url,
        MODEL_KEY: model.key,
        MODEL_NAME: 'bench',
        FETCH_ALLOW_HOSTS: [search.host, ...sites.map((site) => new URL(site).host)].join(),
      }),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${metricsPort}/readyz`);
  const idleMb = idleMemoryMb(worker.pid);
  const side = (count, atOnce) => () =>
    withPeak(
      idleMb,
      () =>
        withCpu({ worker: worker.pid }, async () => {
          const startedAt = performance.now();
          for (let done = 0; done < count; done += atOnce) await lines(atOnce);
          return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
        }),
      worker.pid,
    );
  const sides = { 'one after the other': side(ALONE, 1), '50 at once': side(AT_ONCE, AT_ONCE) };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable('lines', values);
  const peaks = values['50 at once'].peakMb;
  if (peaks) report.addGoal('peak MB over idle, 50 at once', Math.max(...peaks), 'at most', MORE_MB);
}

/** Returns the next answer of the model for a conversation. */
function turnAfter(promptText, siteOf) {
  const firm = /firm (\d+)/i.exec(promptText)[1];
  const site = siteOf(firm);
  const read = [...promptText.matchAll(/Page (p\d+)/g)];
  const use = (name, input) => ({ tools: [{ name, input }] });
  if (!promptText.includes(`${site}/${firm}/a`)) return use('search', { query: `firm ${firm}` });
  if (read.length < 2) return use('fetch', { url: `${site}/${firm}/${read.length === 0 ? 'a' : 'b'}` });
  const claim = { field: '/answer', value: 'Leeds', page_id: read[0][1], quote: sentenceOf(firm) };
  return use('submit', { done: true, claims: [claim] });
}

/** @returns addresses of sites with two pages for each firm; a host gets a few requests per second at most */
async function openSites(life) {
  const filler = '<p>Pumps move water from one place to another, and have done so for a long time.</p>\n';
  const text = filler.repeat(PAGE_BYTES / filler.length);
  const answer = (request, response) => {
    const firm = /^\/(\d+)\//.exec(request.url)?.[1];
    const body = `<title>Firm</title><main><p>${sentenceOf(firm)}</p>${text}</main>`;
    response.writeHead(firm ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(firm ? `<html lang="en">${body}</html>` : '');
  };
  const open = async (_, i) => {
    const host = `127.0.1.${i + 1}`;
    const server = await life.open(
      'site',
      async () => {
        const listening = createServer(answer).listen(0, host);
        await once(listening, 'listening');
        return listening;
      },
      async (part) => {
        part.closeAllConnections();
        part.close();
      },
    );
    return `http://${host}:${server.address().port}`;
  };
  return Promise.all(Array.from({ length: SITES }, open));
}

/** @returns a function that accepts lines and waits for their end. @throws Error when a line lacks the facts of its pages */
async function openLines(life, url) {
  class NobodyModule {}
  Module({})(NobodyModule);
  const nobody = { provide: Providers, useValue: { providersOf: () => ['research'] } };
  const logger = createLogger('bench', 'error');
  const database = await migratedDatabase(url, 'bench');
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1_000_000 });
  const ctx = systemCtx('bench', orgId);
  const queues = await QueueBus.open(QUEUES, { url });
  const calls = await openLocalCalls({
    database,
    queues,
    logger,
    modules: [
      { module: NobodyModule, global: true, providers: [nobody], exports: [Providers] },
      ServiceJobsModule,
    ],
  });
  await life.open(
    'calls',
    () => calls,
    async () => {
      await calls.close();
      await queues.close(1_000);
      await database.close();
    },
  );
  const batches = calls.get(BatchStore);
  let firm = 0;
  return async (count) => {
    const inputs = Array.from({ length: count }, () => ({
      question: `Where does firm ${(firm += 1)} make its pumps?`,
      effort: 'medium',
    }));
    await batches.createBatch(ctx, { service: 'webResearch', inputs });
    const open = 'SELECT 1 FROM jobs.batches WHERE completed_at IS NULL LIMIT 1';
    while ((await database.query(ctx, open)).length > 0) await delay(20);
    const found = `SELECT count(*)::int AS n FROM jobs.jobs WHERE org_id = $1 AND state = 'completed' AND result ->> 'answer' = 'Leeds'`;
    const [{ n }] = await database.query(ctx, found, [orgId]);
    if (n !== firm) throw new Error(`${firm - n} of ${firm} lines did not find what stands on their pages.`);
  };
}
