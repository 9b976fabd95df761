import { alternate } from './harness/alternation.mjs';
import { loadOf, openBrowser, openPage, scrollFrames, signIn } from './harness/browser.mjs';
import { quantile, spreadOf } from './harness/statistics.mjs';
import { openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';
import { seedWorkspace } from './harness/table.fixture.mjs';

export const says = 'the web application in Chromium: first load, and a grid of 100,000 rows and 12 columns';

const ROWS = 100_000;
const COLUMNS = 12;
const GRID = '[role=grid]';
/** Five seconds at sixty frames per second. */
const SCROLL = { frames: 300, pixels: 120 };
/** Height of a page of the grid: number of rows times row height. */
const PAGE_PIXELS = 200 * 32;

export async function run({ life, report, settings }) {
  const product = await openProduct(life);
  const browser = await openBrowser(life);
  const values = await alternate(
    { 'full speed': () => look(browser, product, 1), 'CPU / 4': () => look(browser, product, 4) },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`${ROWS.toLocaleString('en')} rows × ${COLUMNS}`, values);
  const [full, slow] = [values['full speed'], values['CPU / 4']];
  const median = (values) => spreadOf(values).median;
  report.addGoal('first load: kB compressed', median(full['first load, kB']), 'at most', 160);
  report.addGoal('largest paint: ms', median(full['largest paint, ms']), 'at most', 1_000);
  report.addGoal('scroll: longest frame in ms', median(full['longest frame, ms']), 'at most', 50);
  report.addGoal('scroll, CPU / 4: frames a second', median(slow['frames a second']), 'at least', 30);
  const { page, tools } = await openTable(browser, product);
  report.addGoal('heap after all rows: MB', await heapAfterAllRows(page, tools), 'at most', 120);
}

async function look(browser, product, slower) {
  const { page, tools, close } = await openPage(browser, product.url);
  try {
    await tools.send('Emulation.setCPUThrottlingRate', { rate: slower });
    await signIn(page, product.owner);
    await page.reload();
    await page.getByText('Recent').waitFor();
    const { paintMs, firstKb } = await loadOf(page);
    await page.goto(`/app/tables/${product.table}`);
    await page.getByText('Company 10000000').waitFor();
    const tookMs = await scrollFrames(page, GRID, SCROLL);
    const jumpedAt = performance.now();
    await page.locator(GRID).focus();
    await page.keyboard.press('Control+End');
    await page.getByText(`Company ${10_000_000 + ROWS - 1}`).waitFor();
    return {
      'first load, kB': firstKb,
      'largest paint, ms': paintMs,
      'frame p50, ms': quantile(tookMs, 0.5),
      'frame p95, ms': quantile(tookMs, 0.95),
      'longest frame, ms': Math.max(...tookMs),
      'frames above 50 ms': tookMs.filter((ms) => ms > 50).length,
      'frames a second': 1000 / (tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length),
      'jump to the last row, ms': performance.now() - jumpedAt,
    };
  } finally {
    await close();
  }
}

async function openTable(browser, product) {
  const opened = await openPage(browser, product.url);
  await signIn(opened.page, product.owner);
  await opened.page.goto(`/app/tables/${product.table}`);
  await opened.page.getByText('Company 10000000').waitFor();
  return opened;
}

/** Scrolls through all pages, waiting until the rows of each are shown. @returns the heap size in megabytes */
async function heapAfterAllRows(page, tools) {
  for (let i = 1; i < ROWS / 200; i += 1) {
    await page.evaluate(`document.querySelector('${GRID}').scrollTop = ${i * PAGE_PIXELS}`);
    await page.getByText(`Company ${10_000_000 + i * 200 + 5}`).waitFor();
  }
  await tools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await tools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

async function openProduct(life) {
  const cluster = await openCluster(life);
  const { apiKey, workspaceId, owner } = await seedWorkspace(cluster.url);
  const { port } = await openLocal(life, cluster, { DATABASE_URL: cluster.workingUrl });
  const api = await openClient(life, port, apiKey);
  const table = await api.call('POST', `/v1/workspaces/${workspaceId}/tables`, tableOfPeople());
  return { url: `http://127.0.0.1:${port}`, owner, table: table.id };
}

function tableOfPeople() {
  const columns = Array.from({ length: COLUMNS }, (_, i) => ({ key: `c${i}`, name: `Column ${i}` }));
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const i = 10_000_000 + row;
    const values = [`Company ${i}`, `company${i}.example`, i, `person${i}@company${i}.example`, `+47${i}`];
    return Object.fromEntries(columns.map(({ key }, c) => [key, values[c] ?? `Value ${c} of ${i}`]));
  });
  return { name: 'Bench', columns, rows };
}
