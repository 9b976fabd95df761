import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { IdentityStore, type CreatedOrganisation } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { ElicitationMailbox } from '@quarry/postgres';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import type { HttpApi } from '@quarry/http';
import { FixedRpc } from '../fixed-rpc.fixture.js';
import { openEdge } from '../open-edge.fixture.js';

const LINES = Array.from({ length: 6 }, (_, i) => ({ linkedin_url: `https://linkedin.com/in/ada${i}` }));
const APPROVED = { action: 'accept', content: { approve: true } };

interface Message {
  id?: unknown;
  method?: string;
  params?: { message: string };
  result?: { isError?: boolean; _meta?: Record<string, unknown>; content: Array<{ text: string }> };
  error?: { message: string };
}

describe('an MCP session of protocol 2025-11-25', () => {
  const rpc = new FixedRpc();
  let test: TestDatabase;
  let org: CreatedOrganisation;
  let other: CreatedOrganisation;
  /** Two gateways of one product. */
  let gateways: Array<{ api: HttpApi; url: string }>;
  let started: unknown[];

  beforeAll(async () => {
    test = await createTestDatabase();
    const store = new IdentityStore(test.database);
    [org, other] = [
      await store.createOrganisation(systemCtx('spec'), { name: 'Spec' }),
      await store.createOrganisation(systemCtx('spec'), { name: 'Other' }),
    ];
    gateways = [await open(), await open()];
  });
  beforeEach(() => {
    started = [];
    rpc.on('services.credits.estimate', () => JSON.stringify({ max: LINES.length }));
    rpc.on('services.batches.create', ({ idempotencyKey }) => {
      started.push(idempotencyKey);
      throw new AppError('not_found', 'That it was started is all that is looked at');
    });
  });
  afterEach(() => rpc.reset());
  afterAll(async () => {
    for (const { api } of gateways) await api.close();
    await test.drop();
  });

  async function open() {
    const { api, port } = await openEdge(test, rpc, {
      elicitationMailbox: new ElicitationMailbox(test.database),
    });
    return { api, url: `http://127.0.0.1:${port}/mcp` };
  }

  const post = (
    at: string,
    body: object,
    { key = org.apiKey, session = '', signal }: { key?: string; session?: string; signal?: AbortSignal } = {},
  ) =>
    fetch(at, {
      method: 'POST',
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(session === '' ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });

  /** Initializes a session whose client declares the given capabilities. @returns its id */
  async function begun(capabilities: object = { elicitation: {} }, key?: string): Promise<string> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'spec', version: '1' },
    };
    const answer = await post(
      gateways[0]!.url,
      { id: 0, method: 'initialize', params },
      key === undefined ? {} : { key },
    );
    expect(await answer.text()).toContain('"protocolVersion":"2025-11-25"');
    return answer.headers.get('mcp-session-id')!;
  }

  /** Submits a batch that costs more than is spent without a confirmation. @returns the messages of the response */
  async function* list(
    session: string,
    { at = gateways[0]!.url, signal }: { at?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<Message, void> {
    const params = { name: 'service_batch_execute', arguments: { service: 'getEmail', inputs: LINES } };
    const answer = await post(at, { id: 1, method: 'tools/call', params }, { session, signal });
    expect(answer.status).toBe(200);
    let text = '';
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) yield JSON.parse(data) as Message;
      }
    }
  }

  const next = async (messages: AsyncGenerator<Message, void>) => (await messages.next()).value as Message;
  const codeOf = ({ result }: Message) =>
    (result?._meta?.['quarry/error'] as { code: string } | undefined)?.code ?? null;

  it('asks a person during a call, and accepts the answer at any gateway', async () => {
    const session = await begun();
    for (const { url } of gateways) {
      const call = list(session);
      const question = await next(call);
      expect(question).toMatchObject({
        method: 'elicitation/create',
        params: { message: expect.stringContaining('Spend up to 6 credits') },
      });
      expect(started).toEqual([]);
      expect((await post(url, { id: question.id, result: APPROVED }, { session })).status).toBe(202);
      expect(codeOf(await next(call))).toBe('not_found');
      expect(started.splice(0)).toEqual([expect.stringMatching(/^mcp-/)]);
      expect(await call.next()).toMatchObject({ done: true });
    }
  });

  it.each([
    ['no', { result: { action: 'accept', content: { approve: false } } }],
    ['nothing', { result: { action: 'cancel' } }],
    ['a fault', { error: { code: -1, message: 'No form can be shown.' } }],
    ['an invalid answer', { result: { action: 'perhaps' } }],
  ])('does nothing if a person answers with %s', async (_what, answer) => {
    const session = await begun();
    const call = list(session);
    const { id } = await next(call);
    expect((await post(gateways[0]!.url, { id, ...answer }, { session })).status).toBe(202);
    expect(codeOf(await next(call))).toBe('confirmation_required');
    expect(started).toEqual([]);
  });

  it('accepts answers only from its own key and to questions that were asked', async () => {
    const session = await begun();
    const call = list(session);
    const { id } = await next(call);
    const answered = async (key: string, given: unknown) =>
      (await post(gateways[0]!.url, { id: given, result: APPROVED }, { key, session })).status;
    expect(await answered(other.apiKey, id)).toBe(400);
    expect(await answered(org.testKey, id)).toBe(400);
    const text = String(id);
    const changed = text.endsWith('A') ? 'E' : 'A';
    for (const made of [0, 'x', text.slice(0, -1) + changed, null])
      expect(await answered(org.apiKey, made)).toBe(400);
    expect(started).toEqual([]);
    expect(await answered(org.apiKey, id)).toBe(202);
    expect(codeOf(await next(call))).toBe('not_found');
  });

  it.each([
    ['of a client that shows no forms', () => begun({ sampling: {}, elicitation: { url: {} } })],
    ['that was never begun', () => Promise.resolve('made-up')],
    ['of another organisation', () => begun(undefined, other.apiKey)],
  ])('%s is told how to confirm the call', async (_which, session) => {
    const call = list(await session());
    expect(codeOf(await next(call))).toBe('confirmation_required');
    expect(started).toEqual([]);
  });

  it('does nothing if the price has risen since the approval', async () => {
    const session = await begun();
    const call = list(session);
    const { id } = await next(call);
    rpc.on('services.credits.estimate', () => JSON.stringify({ max: LINES.length + 1 }));
    expect((await post(gateways[0]!.url, { id, result: APPROVED }, { session })).status).toBe(202);
    expect(codeOf(await next(call))).toBe('confirmation_required');
    expect(started).toEqual([]);
  });

  it('has at most ten open questions; further calls are told how to confirm', async () => {
    const session = await begun();
    const calls = Array.from({ length: 25 }, () => list(session));
    const first = await Promise.all(calls.map(next));
    const questions = first.filter(({ method }) => method === 'elicitation/create');
    expect(questions).toHaveLength(10);
    const refused = first.filter(({ method }) => method === undefined);
    expect(refused.map(codeOf)).toEqual(refused.map(() => 'confirmation_required'));
    for (const { id } of questions)
      await post(gateways[1]!.url, { id, result: { action: 'decline' } }, { session });
    const rest = await Promise.all(calls.map((call) => call.next()));
    const ends = rest.flatMap(({ value }) => (value ? codeOf(value) : []));
    expect(ends).toEqual(questions.map(() => 'confirmation_required'));
  });

  it('closes the questions of a client that has disconnected', async () => {
    const session = await begun();
    const gone = new AbortController();
    const calls = Array.from({ length: 10 }, () => list(session, { signal: gone.signal }));
    await Promise.all(calls.map(next));
    gone.abort();
    for (const call of calls) await expect(next(call)).rejects.toThrow();
    await waitFor('the questions to be closed', async () => {
      const call = list(session);
      const { id, method } = await next(call);
      if (method === undefined) return false;
      await post(gateways[0]!.url, { id, result: { action: 'decline' } }, { session });
      return codeOf(await next(call)) === 'confirmation_required';
    });
    expect(started).toEqual([]);
  });

  it('reports that nothing was done when the process stops', async () => {
    const stopping = await open();
    const call = list(await begun(), { at: stopping.url });
    await next(call);
    await Promise.all([
      stopping.api.close(),
      next(call).then((end) => expect(codeOf(end)).toBe('confirmation_required')),
    ]);
    expect(started).toEqual([]);
  });
});
