import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ROOT } from './child-process.mjs';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];

/**
 * Starts the Chromium of this machine, or the one named by QUARRY_CHROMIUM, with the library of the browser specs.
 * @param {import('@quarry/app').Lifecycle} life closes it
 */
export async function openBrowser(life) {
  const { chromium } = createRequire(`${ROOT}apps/e2e/package.json`)('playwright-core');
  const executablePath = process.env.QUARRY_CHROMIUM ?? PLACES.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error('Install "chromium-headless-shell", or name a Chromium in QUARRY_CHROMIUM.');
  return life.open(
    'browser',
    () => chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] }),
    (browser) => browser.close(),
  );
}

/** Opens an empty page in a fresh browser context, with its development tools. */
export async function openPage(browser, baseURL) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    baseURL,
  });
  await context.addInitScript({ content: WATCH_PAINT });
  const page = await context.newPage();
  return { page, tools: await context.newCDPSession(page), close: () => context.close() };
}

/** Signs in through the page. */
export async function signIn(page, { email, password }) {
  await page.goto('/app/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/app/runs');
}

/** Script that records the largest paint so far, in milliseconds since the navigation started. */
const WATCH_PAINT = `new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) window.largestPaint = startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true })`;

/** @returns the largest paint in ms, and the compressed kB of scripts and styles, of the current page */
export async function loadOf(page) {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => (window.largestPaint === undefined ? requestAnimationFrame(look) : resolve());
    look();
  })`);
  return page.evaluate(`({
    paintMs: window.largestPaint,
    firstKb: performance.getEntriesByType('resource')
      .filter(({ name }) => /\\.(js|css)$/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
  })`);
}

/** Scrolls an element for a number of frames, by some pixels each. @returns {Promise<number[]>} milliseconds of each frame */
export async function scrollFrames(page, selector, { frames, pixels }) {
  return page.evaluate(`new Promise((resolve) => {
    const place = document.querySelector(${JSON.stringify(selector)});
    const tookMs = [];
    let before = performance.now();
    const step = (now) => {
      tookMs.push(now - before);
      before = now;
      place.scrollTop += ${pixels};
      if (tookMs.length <= ${frames}) requestAnimationFrame(step);
      // The first one is the wait for a frame.
      else resolve(tookMs.slice(1));
    };
    requestAnimationFrame(step);
  })`);
}
