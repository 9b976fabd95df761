import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@quarry/local-postgres';
import { openBrowser, openPage } from './harness/browser.mjs';
import { ROOT } from './harness/child-process.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { openTempDir } from './harness/servers.mjs';

export const says =
  'a newcomer’s way, from npm start to a file with e-mails, by a script that clicks in Chromium';

const ROUNDS_MAX = 3;

export async function run({ life, report, settings }) {
  const browser = await openBrowser(life);
  const tookMs = {};
  for (let i = 0; i < Math.min(settings.rounds, ROUNDS_MAX); i += 1)
    for (const [step, ms] of Object.entries(await walk(browser, await openTempDir(life))))
      (tookMs[step] ??= []).push(ms);
  report.addTable('ms from the command on', { newcomer: tookMs });
  report.addGoal('from npm start to the file: s', spreadOf(tookMs.file).median / 1000, 'at most', 120);
}

/** @returns the time of each step, in milliseconds since the command was started */
async function walk(browser, dataDir) {
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error' };
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => npm.once('exit', resolve));
  const steps = {};
  const done = (step) => (steps[step] = performance.now() - startedAt);
  try {
    const link = await printedLink(npm);
    done('link');
    const { page, close } = await openPage(browser, undefined);
    page.setDefaultTimeout(120_000);
    await page.goto(link);
    await page
      .getByLabel('What are you looking for?')
      .fill('15 heads of sales at software companies in the United States');
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByRole('status', { name: 'Estimate' }).waitFor();
    done('plan');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'Open table' }).click();
    const grid = page.getByRole('grid');
    await grid.getByRole('row').nth(1).getByRole('gridcell').nth(1).waitFor();
    done('rows');
    await grid.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Cell' }).getByText('Cost').waitFor();
    done('explained cell');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.getByRole('list', { name: 'Services' }).getByText('Find a work e-mail').first().click();
    await page.getByRole('button', { name: /^Fill \d+ rows?$/ }).click();
    await page.getByText(/^\d+ filled, /).waitFor();
    await grid.locator('a[href^="mailto:"]').first().waitFor();
    done('work e-mail');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Make the file' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download/ }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    if (!/@.+\.example"/.test(text)) throw new Error('The file has no e-mail address.');
    done('file');
    await close();
    return steps;
  } finally {
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'quarry.pid'), 'utf8'), 10), 'SIGTERM');
    await ended;
  }
}

function printedLink(npm) {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        const [link] = /http\S+\/app\/login#\S+/.exec(output) ?? [];
        if (link && output.includes('Press Ctrl-C to stop')) resolve(link);
      });
    npm.once('exit', (code) => reject(new Error(`npm start ended with code ${code}:\n${output}`)));
  });
}
