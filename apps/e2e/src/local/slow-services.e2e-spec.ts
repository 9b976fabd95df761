import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, startProduct, type ApiAnswer, type Product } from '@quarry/testing';
import { NameServer, waitFor } from '@quarry/test-servers';

interface Line {
  job_id: string;
  input_index: number;
  service: string;
  status: string;
  reused: boolean;
  attempt: number;
  started_at: string | null;
  completed_at: string | null;
  result?: Record<string, unknown>;
  error?: { code: string; retryable: boolean };
}
interface Batch {
  batch_id: string;
  status: string;
  counts: Record<string, number>;
  jobs: Line[];
  poll_url: string;
}
interface Entry {
  kind: string;
  amount: number;
  service: string | null;
}

let product: Product;
/** Name server that knows no name, as some networks answer for a machine without internet access. */
let names: NameServer;
let api: ApiClient;

beforeAll(async () => {
  names = await NameServer.start(() => [], undefined, true);
  product = await startProduct({
    env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error', DNS_SERVERS: names.address },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  await product.dispose();
  names.stop();
});

let people = 0;
const contact = (domain: string, more: object = {}) => ({
  first_name: `Person${++people}`,
  last_name: 'Doe',
  domain,
  ...more,
});
const credits = async () =>
  (await api.get<{ remaining: number; reserved: number; balance: number }>('/credits')).body;
const balance = async () => (await credits()).balance;

async function accept(
  service: string,
  inputs: object[],
  headers: Record<string, string> = {},
): Promise<Batch> {
  const answer = await api.post<Batch>('/v1/services/jobs/batch', { service, inputs }, headers);
  expect([200, 202]).toContain(answer.status);
  return answer.body;
}

async function run(
  service: string,
  inputs: object[],
  headers: Record<string, string> = {},
): Promise<{ batch: Batch; cost: number }> {
  const before = await balance();
  const { poll_url: poll } = await accept(service, inputs, headers);
  const { body } = await api.get<Batch>(`${poll}?wait_seconds=30`);
  expect(body.status).toBe('completed');
  return { batch: body, cost: Math.round((before - (await balance())) * 1000) / 1000 };
}

describe('each slow service', () => {
  it.each([
    ['getEmail', contact('acme.example'), 1],
    ['getPhoneNumber', contact('acme.example'), 10],
    ['webResearch', { question: 'What does acme.example sell?', effort: 'low' }, 3],
    ['webResearch', { question: 'What does acme.example sell?' }, 6],
    ['getLinkedInUserComments', { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' }, 2],
    ['getLinkedInUserReactions', { linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace' }, 2],
  ])('%s answers %j for %d credits, and names its provider', async (service, input, price) => {
    const { batch, cost } = await run(service, [input]);
    expect(batch.jobs[0]).toMatchObject({
      status: 'completed',
      attempt: 1,
      result: { found: true, provider: 'sandbox' },
    });
    expect(cost).toBe(price);
  });
});

describe('a name server that knows no names', () => {
  it.each(['getEmail', 'getPhoneNumber'])(
    'does not make %s report that nothing was found',
    async (service) => {
      const person = { first_name: 'Ada', last_name: 'Lovelace', domain: 'halbrook-firm.com' };
      for (let i = 0; i < 2; i += 1) {
        const { batch, cost } = await run(service, [person]);
        expect(batch.jobs[0]).toMatchObject({
          status: 'failed',
          reused: false,
          error: { code: 'provider_unavailable', retryable: true },
        });
        expect(cost).toBe(0);
      }
    },
  );

  it('does not make an address invalid', async () => {
    const before = await balance();
    const answer = await api.post('/services/verifyEmail', { email: 'ada@halbrook-firm.com' });
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'provider_error' } } });
    expect(await balance()).toBe(before);
  });
});

describe('a control domain', () => {
  it.each([
    ['timeout', 'timeout', true],
    ['capacity', 'capacity', true],
    ['provider-error', 'provider_error', true],
    ['provider-unavailable', 'provider_unavailable', true],
    ['invalid-output', 'invalid_output', false],
    ['rejected', 'provider_rejected', false],
    ['interrupted', 'interrupted', true],
  ])('%s ends its line as %s (retryable %s) and costs nothing', async (control, code, retryable) => {
    const { batch, cost } = await run('getEmail', [contact(`${control}.sandbox.test`)]);
    expect(batch.jobs[0]).toMatchObject({ status: 'failed', error: { code, retryable } });
    expect(cost).toBe(0);
  });

  it('flaky finds something in the retry of the same attempt', async () => {
    const { batch, cost } = await run('getEmail', [contact('flaky.sandbox.test')]);
    expect(batch.jobs[0]).toMatchObject({ status: 'completed', attempt: 1, result: { found: true } });
    expect(cost).toBe(1);
  });

  it.each([
    ['miss', {}, 'completed', 0],
    ['deep-miss', { deep: true }, 'completed', 0.5],
    ['deep-fail', { deep: true }, 'failed', 0.5],
    ['miss', { deep: true }, 'completed', 0.5],
  ])('%s with %j ends %s and costs %d', async (control, more, status, price) => {
    const { batch, cost } = await run('getEmail', [contact(`${control}.sandbox.test`, more)]);
    expect(batch.jobs[0]!.status).toBe(status);
    expect(cost).toBe(price);
  });
});

describe('the rules of a batch', () => {
  it('a failed line is never reused, a completed one is, even if it found nothing', async () => {
    const failing = contact('capacity.sandbox.test');
    const missing = contact('miss.sandbox.test');
    await run('getEmail', [failing, missing]);
    const { batch } = await run('getEmail', [failing, missing]);
    expect(batch.jobs.map(({ reused }) => reused)).toEqual([false, true]);
  });

  it('a fast or unknown service is refused', async () => {
    const unknown = await api.post('/v1/services/jobs/batch', { service: 'getNothing', inputs: [{}] });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const batch = await api.post('/v1/services/jobs/batch', { service: 'webSearch', inputs: [{}] });
    expect(batch).toMatchObject({ status: 400, body: { error: { code: 'service_not_async' } } });
  });

  it('a job list item has the eleven fields of the contract, whatever its state', async () => {
    const { body } = await api.get<{ items: object[] }>('/v1/services/jobs?limit=50');
    const fields = [
      'ok',
      'job_id',
      'service',
      'status',
      'attempt',
      'result',
      'error',
      'created_at',
      'started_at',
      'completed_at',
      'poll_url',
    ];
    for (const item of body.items) expect(Object.keys(item)).toEqual(fields);
  });
});

describe('cancelling a batch', () => {
  it('lets running lines end', async () => {
    const running = await accept(
      'getPhoneNumber',
      Array.from({ length: 50 }, () => contact('slow-4s.sandbox.test')),
    );
    await waitFor('all lines to run', async () => {
      const { body } = await api.get<Batch>(running.poll_url);
      return body.counts.running === 50;
    });
    const cancelled = await api.post<Batch>(`${running.poll_url}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 200, body: { counts: { running: 50, cancelled: 0 } } });
    const { body } = await api.get<Batch>(`${running.poll_url}?wait_seconds=30`);
    expect(body).toMatchObject({ status: 'completed', counts: { completed: 50 } });
    expect(await api.post(`/v1/services/jobs/batch/svcbatch_${'0'.repeat(26)}/cancel`, {})).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });
});

describe('credits', () => {
  it('are estimated without a job or a charge', async () => {
    const known = contact('acme.example');
    await run('getEmail', [known]);
    const before = await balance();
    const inputs = [
      known,
      contact('acme.example'),
      contact('acme.example', { deep: true }),
      { first_name: 'Thin' },
    ];
    const { status, body } = await api.post('/credits/estimate', { service: 'getEmail', inputs });
    expect(status).toBe(200);
    expect(body).toEqual({
      min: 0,
      max: 4,
      new_lines: 2,
      reused_lines: 1,
      rejected_lines: 1,
      affordable: true,
    });
    expect(await balance()).toBe(before);
  });

  it('are estimated for a batch with Service-Fresh as it is charged: every line again', async () => {
    const known = contact('acme.example');
    await run('getEmail', [known]);
    const list = { service: 'getEmail', inputs: [known, known] };
    const fresh = { 'service-fresh': 'true' };
    expect((await api.post('/credits/estimate', list)).body).toMatchObject({ max: 0, reused_lines: 2 });
    expect((await api.post('/credits/estimate', list, fresh)).body).toMatchObject({ max: 2, new_lines: 2 });
    expect((await api.post('/credits/estimate', list, { 'service-fresh': '1' })).status).toBe(400);
  });

  it('equal the sum of the ledger entries, page by page', async () => {
    const entries: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ApiAnswer<{ items: Entry[]; next_cursor: string | null }> = await api.get(
        `/credits/ledger?limit=7${cursor ? `&cursor=${cursor}` : ''}`,
      );
      entries.push(...page.body.items);
      cursor = page.body.next_cursor;
    }
    const thousandths = entries.reduce((sum, { amount }) => sum + Math.round(amount * 1000), 0);
    expect(thousandths / 1000).toBe(await balance());
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['grant', 'charge']));
    const { body } = await api.get<{ items: Entry[] }>('/credits/ledger?service=webResearch&limit=1000');
    expect(body.items.length).toBeGreaterThan(0);
    expect(body.items.every(({ service, amount }) => service === 'webResearch' && amount < 0)).toBe(true);
    expect(await api.get('/credits/ledger?cursor=forged')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_cursor' } },
    });
  });
});
