import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { ApiClient, startProduct, type ApiAnswer, type Product } from '@quarry/testing';

interface Line {
  job_id: string;
  input_index: number;
  status: string;
  reused: boolean;
  result?: Record<string, unknown>;
  error?: { code: string; message: string; retryable: boolean };
}
interface Batch {
  batch_id: string;
  size: number;
  status: string;
  counts: Record<string, number>;
  jobs: Line[];
  poll_url: string;
}
interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string; message: string }> };
}

let product: Product;
let api: ApiClient;

beforeAll(async () => {
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '100', LOG_LEVEL: 'error' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(() => product.dispose());

let people = 0;
const contact = (domain = 'acme.example', more: object = {}) => ({
  first_name: `Person${++people}`,
  last_name: 'Rule',
  domain,
  ...more,
});

const send = (
  inputs: unknown[],
  options: { service?: string; headers?: Record<string, string>; by?: ApiClient } = {},
): Promise<ApiAnswer<Batch & Refusal>> =>
  (options.by ?? api).post<Batch & Refusal>(
    '/v1/services/jobs/batch',
    { service: options.service ?? 'getEmail', inputs },
    options.headers,
  );

const ended = async (batch: Batch, by = api): Promise<Batch> => {
  const { body } = await by.get<Batch>(`${batch.poll_url}?wait_seconds=30`);
  expect(body.status).toBe('completed');
  return body;
};
const run = async (...sent: Parameters<typeof send>): Promise<Batch> =>
  ended((await send(...sent)).body, sent[1]?.by);
const credits = async (by = api) =>
  (await by.get<{ remaining: number; reserved: number; balance: number }>('/credits')).body;
const jobCount = async (): Promise<number> => {
  let count = 0;
  for (let offset: number | null = 0; offset !== null;) {
    const { body }: ApiAnswer<{ items: unknown[]; next_offset: number | null }> = await api.get(
      `/v1/services/jobs?limit=100&offset=${offset}`,
    );
    count += body.items.length;
    offset = body.next_offset;
  }
  return count;
};

describe('a list', () => {
  it.each([
    ['an unknown field', { ...contact(), nickname: 'x' }, 'inputs[2]', 'nickname'],
    ['a field of the wrong type', { ...contact(), first_name: 7 }, 'inputs[2].first_name', 'first_name'],
    ['no object', 'someone', 'inputs[2]', 'inputs[2]'],
  ])(
    'with %s in one input is refused whole, with its index and field, and makes no job',
    async (_, faulty, path, field) => {
      const before = await jobCount();
      const { status, body } = await send([contact(), contact(), faulty, contact()]);
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect(body.error.details).toEqual([{ path, message: expect.stringContaining(field) }]);
      expect(body.error.message).toContain('inputs[2]');
      expect(body.error.message).toContain(field);
      expect(await jobCount()).toBe(before);
    },
  );

  it.each([[[]], [Array.from({ length: 101 }, () => contact())]])(
    'of no or more than a hundred inputs is refused',
    async (inputs) => {
      const { status, body } = await send(inputs);
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect(body.error.message).toContain('inputs');
    },
  );

  it.each([
    ['getEmail', { first_name: 'Ada' }],
    ['getPhoneNumber', { last_name: 'Lovelace', domain: 'acme.example' }],
  ])(
    '%s with an input too thin to search is accepted, and its line fails for nothing',
    async (service, thin) => {
      const before = await credits();
      const { status, body } = await send([thin], { service });
      expect([status, body.status]).toEqual([200, 'completed']);
      expect(body.jobs[0]).toMatchObject({
        status: 'failed',
        error: { code: 'provider_rejected', retryable: false },
      });
      expect((await credits()).balance).toBe(before.balance);
    },
  );

  it.each(['getEmail', 'getPhoneNumber'])(
    'of %s whose people were all found within 7 days is complete at once, reused, for nothing',
    async (service) => {
      const same = [contact(), contact()];
      const first = await run(same, { service });
      const before = await credits();
      const { status, body, headers } = await send(same, { service });
      expect([status, body.status, headers.get('location')]).toEqual([200, 'completed', null]);
      expect(body.jobs.map(({ reused, result }) => ({ reused, result }))).toEqual(
        first.jobs.map(({ result }) => ({ reused: true, result })),
      );
      expect((await credits()).balance).toBe(before.balance);
    },
  );

  it.each([
    ['webResearch', { question: 'What does acme.example make?' }],
    ['getLinkedInUserComments', { linkedin_url: 'https://www.linkedin.com/in/sandbox-rule-comments' }],
    ['getLinkedInUserReactions', { linkedin_url: 'https://www.linkedin.com/in/sandbox-rule-reactions' }],
  ])('of %s never reuses a finished answer, but shares a running search', async (service, input) => {
    const [first, twin] = (await run([input, input], { service })).jobs;
    expect([first!.reused, twin!.reused, twin!.job_id === first!.job_id]).toEqual([false, true, true]);
    const [again] = (await run([input], { service })).jobs;
    expect([again!.reused, again!.job_id === first!.job_id]).toEqual([false, false]);
  });

  it('of a failed line searches it anew', async () => {
    const failing = contact('capacity.sandbox.test');
    const [first] = (await run([failing])).jobs;
    const [again] = (await run([failing])).jobs;
    expect([again!.reused, again!.job_id === first!.job_id]).toEqual([false, false]);
  });

  it('with Service-Fresh bills every line anew, and with another value is refused', async () => {
    const known = contact();
    await run([known]);
    const before = await credits();
    const fresh = await run([known, known], { headers: { 'service-fresh': 'true' } });
    expect(fresh.jobs.map(({ reused }) => reused)).toEqual([false, false]);
    expect(before.balance - (await credits()).balance).toBe(2);
    for (const value of ['TRUE', '1', 'false', '']) {
      const { status, body } = await send([known], { headers: { 'service-fresh': value } });
      expect([value, status, body.error.code]).toEqual([value, 400, 'invalid_request']);
    }
  });

  it('is there with all its lines or not at all, also for many that are sent at once', async () => {
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send(n % 2 ? [contact(), { first_name: 7 }] : [contact(), contact()]),
      ),
    );
    // 200 is the answer where the workers were quicker than it.
    const isAccepted = ({ status }: { status: number }): boolean => status === 202 || status === 200;
    expect(sent.map((answer) => isAccepted(answer) || answer.status)).toEqual(
      sent.map((_, n) => (n % 2 ? 400 : true)),
    );
    for (const { body } of sent.filter(isAccepted)) expect((await ended(body)).jobs).toHaveLength(2);
  });

  it('says where it is and when to come back, and holds its worst price until it ends', async () => {
    const before = await credits();
    const { status, headers, body } = await send([contact('slow-2s.sandbox.test')]);
    expect([status, headers.get('location')]).toEqual([202, body.poll_url]);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    const balances = await credits();
    expect(balances.balance).toBe(before.balance);
    expect(balances.remaining + balances.reserved).toBe(balances.balance);
    await ended(body);
    expect(await credits()).toMatchObject({ reserved: 0, balance: before.balance - 1 });
  });

  it('that the balance covers for no line is refused with 402; else the lines left over fail usage_limit', async () => {
    const { apiKey } = await createOrganisation(product.database!.database, { name: 'Poor', credits: 2 });
    const poor = new ApiClient(product.baseUrl, apiKey);
    const phones = await send([contact()], { service: 'getPhoneNumber', by: poor });
    expect([phones.status, phones.body.error.code]).toEqual([402, 'insufficient_credits']);
    const batch = await run([contact(), contact(), contact(), contact()], { by: poor });
    expect(batch.counts).toMatchObject({ completed: 2, failed: 2 });
    const codes = batch.jobs.flatMap(({ error }) => error?.code ?? []);
    expect(codes).toEqual(['usage_limit', 'usage_limit']);
    expect(await credits(poor)).toMatchObject({ remaining: 0, reserved: 0, balance: 0 });
  });

  it('has lines without a charge of their own; the balance before and after tells it', async () => {
    const before = await credits();
    const batch = await run([contact(), contact('miss.sandbox.test'), contact('capacity.sandbox.test')]);
    for (const line of batch.jobs)
      expect(Object.keys(line).filter((key) => /charge|credit|price|cost/i.test(key))).toEqual([]);
    expect(before.balance - (await credits()).balance).toBe(1);
  });

  it('lists its lines in the order of its inputs, whichever ends first', async () => {
    const domains = ['slow-2s.sandbox.test', 'acme.example', 'slow-1s.sandbox.test', 'miss.sandbox.test'];
    const batch = await run(domains.map((domain) => contact(domain)));
    expect(batch.jobs.map(({ input_index: index }) => index)).toEqual([0, 1, 2, 3]);
    expect(batch.jobs.map(({ result }) => result?.found)).toEqual([true, true, true, false]);
  });

  it('that names an unknown service, or a fast one, is refused', async () => {
    expect((await send([{}], { service: 'getNothing' })).body.error.code).toBe('not_found');
    expect((await send([{}], { service: 'webSearch' })).body.error.code).toBe('service_not_async');
  });
});
