import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Quarry } from '@quarry/sdk';
import { forgetBatches, recordBatches } from './accepted-batches.js';

const folder = mkdtempSync(join(tmpdir(), 'quarry-batches-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a server that has forgotten all keys, but has the given batches. */
function serverKeeping(kept: ReadonlySet<string>): { quarry: Quarry; requests: string[] } {
  const requests: string[] = [];
  const answer: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    requests.push(`${init!.method} ${pathname}`);
    const id = init!.method === 'POST' ? `new_${requests.length}` : pathname.split('/').at(-1)!;
    if (init!.method === 'GET' && !kept.has(id)) return new Response('{}', { status: 404 });
    const jobs = [{ input_index: 0, status: 'completed', result: {} }];
    return Response.json({ batch_id: id, status: 'completed', jobs });
  };
  const quarry = new Quarry({ apiKey: 'key', baseUrl: 'http://quarry.example', fetch: answer });
  return { quarry, requests };
}

/** Runs a list with one input. @returns the requests that the server has received */
async function runList(path: string, kept: string[], domain: string): Promise<string[]> {
  const { quarry, requests } = serverKeeping(new Set(kept));
  const batches = recordBatches(quarry.batches, path);
  for await (const { line } of batches.run('getEmail', [{ domain }], { key: 'list' }))
    expect(line.status).toBe('completed');
  return requests;
}

const BATCHES = '/v1/services/jobs/batch';

describe('a resumed list', () => {
  const path = join(folder, 'leads.csv.batches.json');

  it('reads its batches, even if the server no longer has their idempotency keys', async () => {
    expect(await runList(path, ['new_1'], 'a.example')).toEqual([`POST ${BATCHES}`, `GET ${BATCHES}/new_1`]);
    expect(await runList(path, ['new_1'], 'a.example')).toEqual([
      `GET ${BATCHES}/new_1`,
      `GET ${BATCHES}/new_1`,
    ]);
  });

  it('submits a batch again if its inputs changed or the server no longer has it', async () => {
    expect((await runList(path, ['new_1'], 'b.example'))[0]).toBe(`POST ${BATCHES}`);
    expect(await runList(path, ['new_2'], 'b.example')).toEqual([
      `GET ${BATCHES}/new_1`,
      `POST ${BATCHES}`,
      `GET ${BATCHES}/new_2`,
    ]);
  });

  it('is forgotten after it is done', async () => {
    expect(existsSync(path)).toBe(true);
    forgetBatches(path);
    expect(existsSync(path)).toBe(false);
  });

  it('starts over if its state file was only partly written', async () => {
    writeFileSync(path, '{"list-1":');
    expect((await runList(path, ['new_1'], 'a.example'))[0]).toBe(`POST ${BATCHES}`);
  });

  it('retries lines with a retryable error, and no others', async () => {
    const failed = (index: number, retryable: boolean) => ({
      job_id: `job_${index}`,
      input_index: index,
      status: 'failed',
      error: { code: 'x', retryable },
    });
    const done = { input_index: 0, status: 'completed', result: {} };
    const requested: unknown[] = [];
    let isPoor = true;
    const answer: typeof fetch = async (input, init) => {
      const isFirst = init!.method === 'POST' ? requested.length === 0 : String(input).includes('/old?');
      if (init!.method === 'POST') {
        if (!isFirst && isPoor) return new Response('{}', { status: 402 });
        requested.push(JSON.parse(init!.body as string).inputs);
      }
      const jobs = isFirst ? [done, failed(1, false), failed(2, true)] : [done];
      return Response.json({ batch_id: isFirst ? 'old' : 'anew', status: 'completed', jobs });
    };
    const { batches } = new Quarry({ apiKey: 'key', baseUrl: 'http://quarry.example', fetch: answer });
    const inputs = ['a', 'b', 'c'].map((domain) => ({ domain }));
    const run = async () => {
      requested.length = 0;
      const lines = [];
      for await (const { line } of recordBatches(batches, join(folder, 'poor.json')).run('getEmail', inputs))
        lines.push(`${line.input_index} ${line.status}`);
      return lines;
    };
    expect(await run()).toEqual(['0 completed', '1 failed', '2 failed']);
    isPoor = false;
    expect(await run()).toEqual(['0 completed', '1 failed', '2 completed']);
    expect(requested).toEqual([inputs, [inputs[2]]]);
    forgetBatches(join(folder, 'poor.json'));
    expect(existsSync(join(folder, 'poor.json'))).toBe(true);
  });
});
