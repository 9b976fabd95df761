import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { createBenchOrganisation, openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'scrapeUrl of a page of 60 kB over HTTP, against linkedom, Readability and turndown with nothing around them';

const PAGES = 100;
const AT_ONCE = 8;

export async function run({ life, report, settings }) {
  const open = (script) =>
    life.open(
      script,
      () => startScript(script),
      (part) => part.close(),
    );
  const { hosts } = (await open('harness/page-site.mjs')).facts;
  let pages = 0;
  // No page is read twice, because a recent one may be cached.
  const urls = () =>
    Array.from({ length: PAGES }, () => `http://${hosts[pages % hosts.length]}/page/${(pages += 1)}`);
  const bare = await open('baselines/page-as-markdown.mjs');
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port, processes } = await openLocal(life, cluster, { FETCH_ALLOW_HOSTS: hosts.join() });
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => openClient(life, port, apiKey)));

  const values = await alternate(
    {
      baseline: () => withCpu({ program: bare.pid }, () => bare.ask({ urls: urls(), atOnce: AT_ONCE })),
      product: () => withCpu(processes, () => scrape(clients, urls())),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`pages, ${AT_ONCE} at once`, values);
  if (values.product.cpuMicros)
    report.addGoal('CPU of a page in ms', spreadOf(values.product.cpuMicros).median / 1000, 'at most', 25);
}

async function scrape(clients, urls) {
  const rest = [...urls];
  const startedAt = performance.now();
  const loop = async (client) => {
    for (let url = rest.pop(); url; url = rest.pop()) {
      const { output } = await client.call('POST', '/services/scrapeUrl', { url });
      if (!output.markdown.includes('series 9')) throw new Error('The page has no text.');
    }
  };
  await Promise.all(clients.map(loop));
  return { operations: urls.length, seconds: (performance.now() - startedAt) / 1000 };
}
