import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError, Quarry, TimeoutError, type InputOf } from './index.js';
import { cut, cutBody, json, refusal, ScriptedServer, stall, type Reply } from './scripted-server.fixture.js';

const RUN = { id: 'run_1', status: 'completed' };
const NOW = { 'retry-after': '0' };
let server: ScriptedServer;
let quarry: Quarry;

beforeAll(async () => {
  server = await ScriptedServer.start();
  quarry = new Quarry({ apiKey: 'key-of-the-spec', baseUrl: server.url });
});
afterAll(() => server.stop());

const keys = (): Array<string | undefined> =>
  server.requests.map(({ headers }) => headers['idempotency-key'] as string);

describe('the server URL', () => {
  it.each(['quarry.example.com', 'localhost:3000', 'ftp://quarry.example.com', ''])(
    'that is no web URL is refused, naming what is missing: %s',
    (baseUrl) => {
      expect(() => new Quarry({ apiKey: 'key', baseUrl })).toThrow(`baseUrl must be http(s)`);
    },
  );
});

describe('a wait', () => {
  it('is not ended by the normal timeout, as the server holds its reads', async () => {
    server.play(json({ ...RUN, status: 'running' }), json(RUN));
    const hasty = new Quarry({ apiKey: 'key', baseUrl: server.url, timeoutMs: 1 });
    expect(await hasty.runs.wait('run_1')).toEqual(RUN);
    const held = '/v1/runs/run_1?wait_seconds=60';
    expect(server.requests.map(({ url }) => url)).toEqual([held, held]);
  });
});

describe('a request', () => {
  it('is sent with the API key, and returns the response unchanged', async () => {
    server.play(json(RUN, 202));
    expect(await quarry.runs.create({ prompt: 'Fintechs' }, { maxCredits: 5 })).toEqual(RUN);
    const [{ method, url, headers, body }] = server.requests as [(typeof server.requests)[0]];
    expect([method, url, body]).toEqual(['POST', '/v1/runs', { prompt: 'Fintechs' }]);
    expect(headers).toMatchObject({ authorization: 'Bearer key-of-the-spec', 'quarry-max-credits': '5' });
  });

  it.each<[string, Reply]>([
    ['is refused for a moment (429)', refusal(429, 'rate_limited', NOW)],
    ['meets a server that fails (503)', refusal(503, 'runs_unavailable', NOW)],
    ['meets the first one still at work (409)', refusal(409, 'idempotency_conflict', NOW)],
    ['is cut off before an answer', cut],
    ['is cut off within the answer', cutBody],
    [
      'is answered by the page of a proxy (502)',
      (response) => void response.writeHead(502, NOW).end('<html>'),
    ],
  ])('that creates something and %s is retried with the same idempotency key', async (_what, fault) => {
    server.play(fault, json(RUN, 202));
    expect(await quarry.runs.create({ prompt: 'Fintechs' })).toEqual(RUN);
    expect(keys()).toEqual([expect.any(String), keys()[0]]);
  });

  it.each<[string, Reply, number]>([
    ['a busy conversation', refusal(409, 'conversation_busy', NOW), 409],
    ['a key that was used with another body', refusal(409, 'idempotency_conflict'), 409],
    ['a bad request', refusal(400, 'invalid_request'), 400],
    ['no credits', refusal(402, 'insufficient_credits', NOW), 402],
    ['a pause of an hour', refusal(429, 'rate_limited', { 'retry-after': '3600' }), 429],
  ])('is not retried after %s', async (_what, fault, status) => {
    server.play(fault);
    const error = await quarry.runs.create({ prompt: ' ' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, requestId: 'req_1', details: [{ path: 'prompt' }] });
    expect(server.requests).toHaveLength(1);
  });

  it('that waits is retried for as long as a restart takes, unless the caller decides otherwise', async () => {
    const out = Array.from({ length: 5 }, () => refusal(503, 'runs_unavailable', NOW));
    server.play(...out, json({ id: 'run_1', status: 'completed' }));
    expect(await quarry.runs.wait('run_1')).toMatchObject({ status: 'completed' });
    server.play(...out);
    await expect(quarry.runs.wait('run_1', { retriesMax: 0 })).rejects.toThrow(ApiError);
    expect(server.requests).toHaveLength(1);
  });

  it('to a fast service is retried only if nothing can have been charged', async () => {
    server.play(refusal(429, 'rate_limited', NOW), json({ ok: true }));
    await quarry.services.call('findDomain', { company: 'Acme' });
    expect(keys()).toEqual([undefined, undefined]);
    server.play(cut, json({ ok: true }));
    await expect(quarry.services.call('findDomain', { company: 'Acme' })).rejects.toThrow(ConnectionError);
    server.play(cut, json({ ok: true }));
    await quarry.services.call('findDomain', { company: 'Acme' }, { idempotencyKey: 'mine' });
    expect(keys()).toEqual(['mine', 'mine']);
  });

  it('times out even if the response has started', async () => {
    server.play(stall);
    const options = { timeoutMs: 100, retriesMax: 0 };
    await expect(quarry.runs.get('run_1', options)).rejects.toThrow(TimeoutError);
  });

  it('ends with the reason of its signal, and is not retried', async () => {
    const stop = new AbortController();
    server.play(() => stop.abort(new Error('The person has left.')));
    await expect(quarry.runs.get('run_1', { signal: stop.signal })).rejects.toThrow('The person has left.');
    expect(server.requests).toHaveLength(1);
  });

  it('never sends the API key to another server', async () => {
    const { transport } = quarry.runs.calls;
    await expect(transport.request({ path: 'https://elsewhere.example/v1/runs' })).rejects.toThrow(TypeError);
    server.play((response) => void response.writeHead(302, { location: 'https://elsewhere.example' }).end());
    await expect(quarry.runs.get('run_1', { retriesMax: 0 })).rejects.toThrow(ConnectionError);
  });
});

describe('a list', () => {
  it.each([
    [
      'cursors',
      [json({ items: [1, 2], next_cursor: 'c' }), json({ items: [3], next_cursor: null })],
      'cursor=c',
    ],
    [
      'offsets',
      [json({ items: [1, 2], next_offset: 2 }), json({ items: [3], next_offset: null })],
      'offset=2',
    ],
  ])('is iterated by %s, a page at a time', async (_what, replies, second) => {
    server.play(...replies);
    const items: unknown[] = [];
    for await (const item of quarry.credits.listLedger({ service: 'getEmail' })) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/credits/ledger?service=getEmail',
      `/credits/ledger?service=getEmail&${second}`,
    ]);
  });

  it('that is awaited returns its first page', async () => {
    server.play(json({ items: [1], next_offset: 1 }));
    expect((await quarry.runs.list({ limit: 1 })).items).toEqual([1]);
  });
});

describe('a long list of lookups', () => {
  /** Accepts batches, and completes each job with the number of its input. */
  const accepts: Reply = (response, { method, url, body }) => {
    const id = url.split('?')[0]!.split('/').at(-1)!;
    const [first, size] =
      method === 'POST' ? [body.inputs[0].number, body.inputs.length] : id.split('-').map(Number);
    // Jobs are listed in the order in which they end.
    const jobs = Array.from({ length: size }, (_, at) => ({
      input_index: at,
      status: 'completed',
      result: first + at,
    })).reverse();
    json({ batch_id: `${first}-${size}`, status: method === 'POST' ? 'queued' : 'completed', jobs })(
      response,
      {} as never,
    );
  };
  const inputs = (count: number): Array<InputOf<'getEmail'>> =>
    Array.from({ length: count }, (_, number) => ({ number }) as unknown as InputOf<'getEmail'>);

  it('of any length is run as batches with stable idempotency keys, and results come in order', async () => {
    server.play(accepts);
    const results: number[] = [];
    for await (const { index, line } of quarry.batches.run('getEmail', inputs(250), { key: 'leads' })) {
      expect(index).toBe(results.length);
      results.push((line as unknown as { result: number }).result);
    }
    expect(results).toEqual(Array.from({ length: 250 }, (_, at) => at));
    expect(keys().filter(Boolean)).toEqual(['leads-1', 'leads-2', 'leads-3']);
  });

  it('starts no batch before the results of four are consumed', async () => {
    server.play(accepts);
    const results = quarry.batches.run('getEmail', inputs(1_000));
    await results.next();
    expect(keys().filter(Boolean).length).toBeLessThanOrEqual(4);
    await results.return(undefined);
  });

  it('that runs out of credits returns the accepted results before it fails', async () => {
    server.play((response, request) =>
      request.body?.inputs[0].number === 100
        ? refusal(402, 'insufficient_credits')(response, request)
        : accepts(response, request),
    );
    const taken: number[] = [];
    const all = async (): Promise<void> => {
      for await (const { index } of quarry.batches.run('getEmail', inputs(900))) taken.push(index);
    };
    await expect(all()).rejects.toMatchObject({ status: 402 });
    const accepted = server.requests.filter(({ body }) => body && body.inputs[0].number !== 100);
    expect(taken).toHaveLength(accepted.length * 100);
    expect(accepted.length).toBeLessThan(6);
  });
});

describe('a download', () => {
  const FILE = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251));
  const part: Reply = (response, { headers }) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    const isPart = from > 0 && headers['if-range'] === '"a"';
    const bytes = isPart ? FILE.subarray(from) : FILE;
    response.writeHead(isPart ? 206 : 200, { etag: '"a"', 'content-length': String(bytes.length) });
    if (server.requests.length > 2) return void response.end(bytes);
    response.write(bytes.subarray(0, 20_000), () => response.socket!.destroy());
  };

  it('resumes where its connection was lost', async () => {
    server.play(part);
    const pieces: Uint8Array[] = [];
    for await (const piece of quarry.exports.download('exp_1')) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(FILE)).toBe(true);
    expect(server.requests).toHaveLength(3);
  });
});

describe('an event stream', () => {
  const event = (seq: number): string => `id: evt_${seq}\r\nevent: run.step\r\ndata: {"seq":${seq}}\r\n\r\n`;

  it('is followed over connections lost anywhere, each event once and in order', async () => {
    let sent = 0;
    server.play((response, { headers }) => {
      const after = Number((headers['last-event-id'] as string | undefined)?.slice(4) ?? 0);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\n\n: hello\n\n');
      const text = Array.from({ length: 20 - after }, (_, at) => event(after + at + 1)).join('');
      // Each time a little more than one event, truncated within a line.
      sent += 1;
      if (after < 18)
        return void response.write(text.slice(0, event(1).length * 2 + sent), () =>
          response.socket!.destroy(),
        );
      response.end(`${text}event: end\ndata: {}\n\n`);
    });
    const seqs: number[] = [];
    for await (const { seq } of quarry.runs.followEvents('run_1')) seqs.push(seq);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(server.requests.length).toBeGreaterThan(5);
  });

  it('resumes from the position it was told, even if no event has arrived', async () => {
    server.play((response, { headers }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const isAgain = headers['last-event-id'] === 'evt_7';
      response.end(isAgain ? `${event(8)}event: end\ndata: {}\n\n` : 'retry: 1\nid: evt_7\n\n');
    });
    const seqs: number[] = [];
    for await (const { seq } of quarry.events.follow()) seqs.push(seq);
    expect(seqs).toEqual([8]);
    expect(server.requests).toHaveLength(2);
  });

  it('that has ended is not requested again', async () => {
    server.play((response) => void response.writeHead(204).end());
    for await (const _event of quarry.runs.followEvents('run_1', { after: 'evt_9' }))
      throw new Error('It has ended.');
    expect(server.requests[0]!.headers['last-event-id']).toBe('evt_9');
  });

  it('that is refused throws the error', async () => {
    server.play(refusal(404, 'run_not_found'));
    await expect(quarry.runs.followEvents('run_2').next()).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
