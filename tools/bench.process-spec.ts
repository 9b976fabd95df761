import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useTestDatabase } from '@quarry/testing';

const ROOT = join(import.meta.dirname, '..');

/** Options of each product script, in addition to the address of its database. */
const OPTIONS: Record<string, object> = {
  'column-runs.mjs': { providerMs: 1 },
  'line-worker.mjs': { messagesInFlight: 1 },
  'runs-service.mjs': { appUrl: 'http://app.test', rpcSecret: 'r'.repeat(32) },
  'tables-service.mjs': { orgId: 'org_bench', workspaceId: 'wsp_bench' },
};

// The scripts use modules of the product, and nothing else loads them between two measurements.
describe('the product as opened by benchmarks', () => {
  const test = useTestDatabase();

  it.each(readdirSync(join(ROOT, 'bench/product')))('%s opens, and stops on request', async (script) => {
    const options = { url: test.url, queueUrl: test.url, ...OPTIONS[script] };
    const child = fork(join(ROOT, 'bench/product', script), [JSON.stringify(options)], {
      cwd: ROOT,
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    const opened = new Promise((resolve) =>
      child.once('message', (message) => resolve((message as { value: unknown }).value)),
    );
    expect(await Promise.race([opened, ended.then((code) => `ended with ${String(code)}`)])).toEqual(
      expect.any(Object),
    );
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
