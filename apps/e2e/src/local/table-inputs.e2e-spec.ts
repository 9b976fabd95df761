import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Agent, request } from 'node:http';
import type { RunJson, TableJson } from '@quarry/dto';
import { systemCtx } from '@quarry/app';
import { AnswerCheck, ApiClient, seedsOf, startProduct, type Product } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';

/** Number of requests. QUARRY_INPUT_CASES=1000000 makes a long run; SEED repeats a run. */
const CASES = Number(process.env.QUARRY_INPUT_CASES ?? 4_000);
const [SEED = 0] = seedsOf('generated requests');
const AT_ONCE = 12;
const CHUNK_CASES = 1000;
const SLOW_MS = 120_000;
/** Internal texts that no answer may contain: SQL, file paths, words of PostgreSQL and Node. */
const INNER_WORDS =
  /SELECT |INSERT |UPDATE |DELETE FROM|jsonb|::text|pg_|violates|relation "|syntax error|invalid input|node_modules|\/dist\/|\.[jt]s:\d|\n\s+at |ECONN|TypeError|RangeError/g;
const REFUSAL_CHARACTERS_MAX = 100_000;

const ODD_TEXTS = [
  ...'%20 %00 %ff %zz %ED%A0%80 %F0%9F%A6%8A ..%2F..%2Fetc%2Fpasswd %2e%2e * __proto__ null'.split(' '),
  ..."'%20OR%201=1-- $%7B7*7%7D -1 5.0 1e2 0x10 %D9%A3 9007199254740992 99999999999999999999".split(' '),
  '',
  'x'.repeat(10_000),
];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  2 ** 53,
  1e21,
  '',
  'a\0',
  '\ud800',
  '__proto__',
  'é\u202e🦊',
  'x'.repeat(201),
  'x'.repeat(40_000),
  [],
  {},
  [null],
  { constructor: 1 },
  Array(1001).fill({}),
];
const ODD_HEADERS: ReadonlyArray<Record<string, string>> = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { range: 'bytes=-5' },
  { range: 'bytes=5-2' },
  { range: 'bytes=0-1,3-4' },
  { 'if-none-match': '*' },
  { 'if-none-match': 'W/"' },
  { 'idempotency-key': 'x'.repeat(300) },
];
/** Members that a JSON body may not have. */
const ODD_MEMBERS = [
  '"__proto__":{}',
  '"x":1e400',
  '"\\udc00":1',
  '"name":1,"name":2',
  `"x":${'['.repeat(50)}${']'.repeat(50)}`,
];
/** Ways to damage the text of a body at a place. */
const DAMAGES: ReadonlyArray<(text: string, at: number) => string | Buffer> = [
  (text, at) => text.slice(0, at),
  (text, at) => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff]), Buffer.from(text)]),
  (text) => `\ufeff${text}`,
  (text) => `[${text}]`,
  (text) => text + text,
  (text, at) => `${text.slice(0, -1)},${ODD_MEMBERS[at % ODD_MEMBERS.length]}}`,
];

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: object;
  /** Replaces the text of the body. */
  text?: string | Buffer;
}

/** Replaces one segment or parameter of the path. */
const withOddPath = (request: Request): fc.Arbitrary<Request> => {
  const parts = request.path.split(/([/?&=])/);
  const places = parts.flatMap((part, i) => (i % 2 === 0 && part !== '' ? i : []));
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom(...ODD_TEXTS))
    .map(([place, odd]) => ({ ...request, path: parts.with(place, odd).join('') }));
};

/** Replaces, removes or adds one value of the body. */
const withOddBody = (request: Request): fc.Arbitrary<Request> =>
  fc
    .tuple(fc.nat(), fc.constantFrom(...ODD_VALUES), fc.constantFrom('replace', 'remove', 'add'))
    .map(([at, odd, change]) => {
      const body = structuredClone(request.body!) as Record<string, unknown>;
      const places = placesIn(body);
      const [parent, key] = places[at % places.length]!;
      if (change === 'replace') parent[key] = odd;
      else if (change === 'remove') delete parent[key];
      else parent['more'] = odd;
      return { ...request, body };
    });

function placesIn(value: unknown): Array<[Record<string, unknown>, string]> {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [
    [parent, key] as [typeof parent, string],
    ...placesIn(parent[key]),
  ]);
}

const withDamagedText = (request: Request): fc.Arbitrary<Request> => {
  const text = JSON.stringify(request.body);
  return fc
    .tuple(fc.nat(text.length - 1), fc.constantFrom(...DAMAGES))
    .map(([at, damage]) => ({ ...request, text: damage(text, at) }));
};

const withOddHeaders = (request: Request): fc.Arbitrary<Request> =>
  fc.constantFrom(...ODD_HEADERS).map((odd) => ({ ...request, headers: { ...request.headers, ...odd } }));

/** Returns valid requests, and those that differ from a valid one in one thing. */
const generatedRequests = (valid: readonly Request[]): fc.Arbitrary<Request> =>
  fc.constantFrom(...valid).chain((request) => {
    const ways = [fc.constant(request), withOddPath(request), withOddHeaders(request)];
    if (!request.body) return fc.oneof(...ways);
    // A body has more places than a path.
    return fc.oneof(...ways, withDamagedText(request), { arbitrary: withOddBody(request), weight: 8 });
  });

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  bytes: Buffer;
  tookMs: number;
}

describe('generated requests to workspaces, tables, exclusions and exports', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const described = AnswerCheck.open();
  let product: Product;
  let api: ApiClient;
  let valid: Request[];

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    valid = await validRequests();
  }, SLOW_MS);
  afterAll(async () => {
    agent.destroy();
    await product.dispose();
  });

  async function frozenRun(client: ApiClient): Promise<string> {
    const started = await client.post<RunJson>('/v1/runs', {
      prompt: '5 banks in Germany',
      output: { tables: [{ key: 'firms', entity: 'company', columns: [{ key: 'name' }] }] },
    });
    return (await client.runEnd(started.body)).id;
  }

  async function importedTable(client: ApiClient): Promise<{ ws: string; tbl: string }> {
    const ws = (await client.post<{ id: string }>('/v1/workspaces', { name: 'Inputs' })).body.id;
    const rows = Array.from({ length: 5 }, (_, a) => ({ a }));
    const body = { name: 'Rows', columns: [{ key: 'a', name: 'A' }], rows };
    return { ws, tbl: (await client.post<TableJson>(`/v1/workspaces/${ws}/tables`, body)).body.id };
  }

  async function validRequests(): Promise<Request[]> {
    const { ws, tbl } = await importedTable(api);
    const run = await frozenRun(api);
    const rows = `/v1/tables/${tbl}/rows?limit=1`;
    const frozenRows = `/v1/runs/${run}/output/tables/firms/rows?limit=1`;
    const cursorOf = async (path: string) =>
      `${path}&cursor=${(await api.get<{ next_cursor: string }>(path)).body.next_cursor}`;
    const made = { table_key: 'firms', format: 'csv' };
    const { body: file } = await api.post<{ id: string }>(`/v1/runs/${run}/exports`, made);
    const reads = [
      '/v1/workspaces?limit=2&offset=1',
      `/v1/workspaces/${ws}`,
      `/v1/workspaces/${ws}/tables?limit=2&offset=0`,
      `/v1/tables/${tbl}`,
      `/v1/tables/${tbl}/columns/a`,
      await cursorOf(rows),
      await cursorOf(frozenRows),
      '/v1/exclusions/companies?limit=2&offset=0',
      `/v1/exports/${file.id}`,
    ];
    const column = {
      key: 'a',
      name: 'A',
      kind: 'number',
      qualification: { criterion: 'c', effect: 'require' },
    };
    const items = [{ domain: 'a.com' }, { linkedin_url: 'https://www.linkedin.com/company/acme' }];
    const writes: Array<[string, string, object]> = [
      ['POST', '/v1/workspaces', { name: 'n' }],
      ['POST', `/v1/workspaces/${ws}/tables`, { name: 'n', columns: [column], rows: [{ a: 1 }, {}] }],
      ['POST', '/v1/exclusions/companies', { items }],
      ['PUT', '/v1/exclusions/people', { source: 's', items, dry_run: false }],
      ['DELETE', '/v1/exclusions/people', { items }],
      ['POST', `/v1/runs/${run}/exports`, made],
    ];
    return [
      ...reads.map((path) => ({ method: 'GET', path, headers: {} })),
      ...writes.map(([method, path, body]) => ({
        method,
        path,
        headers: { 'content-type': 'application/json' },
        body,
      })),
    ];
  }

  function send({
    method,
    path,
    headers,
    body,
    text = body && JSON.stringify(body),
  }: Request): Promise<Answer> {
    const { hostname, port } = new URL(product.baseUrl);
    const from = performance.now();
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const sent = request(
        {
          agent,
          hostname,
          port,
          method,
          path,
          headers: {
            authorization: `Bearer ${api.apiKey}`,
            ...headers,
            ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
          },
        },
        (response) => {
          isAnswered = true;
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes: Buffer.concat(chunks),
              tookMs: performance.now() - from,
            }),
          );
        },
      );
      // When a request is refused before its head is read, the connection ends.
      sent.on('error', (error) => (isAnswered ? undefined : reject(error)));
      sent.end(text);
    });
  }

  /** @throws what is wrong with the answer */
  function checkAnswer({ method, path, body, text }: Request, { status, headers, bytes }: Answer): void {
    const answer = bytes.toString();
    if (status >= 500) throw new Error(`status ${status} ${answer}`);
    if (typeof headers['x-request-id'] !== 'string') throw new Error('no request id');
    const type = String(headers['content-type'] ?? '');
    const fault = described.faultOf(method, path.split('?')[0]!, status, type, answer);
    if (fault !== null) throw new Error(fault);
    if (status < 400) return;
    // A word of the request itself may be repeated.
    const sent = `${path} ${String(text ?? JSON.stringify(body))}`;
    if ((answer.match(INNER_WORDS) ?? []).some((word) => !sent.includes(word)))
      throw new Error('inner words');
    if (answer.length > REFUSAL_CHARACTERS_MAX) throw new Error(`a refusal of ${answer.length} characters`);
  }

  it(
    `get responses as they are described, without internal texts, and no unexpected error (${CASES} requests)`,
    async () => {
      const tookMs: number[] = [];
      const failures: string[] = [];
      let imports = 0;
      let generateMs = 0;
      const tables = () =>
        product.database!.database.queryOne<{ n: number }>(
          systemCtx('spec'),
          'SELECT count(*)::int AS n FROM tables.tables',
        );
      const before = (await tables())!.n;
      const from = performance.now();
      for (let done = 0; done < CASES && failures.length === 0; done += CHUNK_CASES) {
        const started = performance.now();
        const cases = fc.sample(generatedRequests(valid), {
          seed: SEED + done,
          numRuns: Math.min(CHUNK_CASES, CASES - done),
        });
        generateMs += performance.now() - started;
        let next = 0;
        const one = async () => {
          while (next < cases.length) {
            const at = next;
            next += 1;
            const request = cases[at]!;
            try {
              const answer = await send(request);
              tookMs.push(answer.tookMs);
              checkAnswer(request, answer);
              if (answer.status === 201 && request.path.endsWith('/tables')) imports += 1;
            } catch (error) {
              const body = String(request.text ?? JSON.stringify(request.body)).slice(0, 400);
              failures.push(
                `seed ${SEED + done}, case ${at}: ${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers)} ${body}\n  ${(error as Error).message}`,
              );
            }
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, one));
      }
      tookMs.sort((a, b) => a - b);
      const quantile = (part: number) => tookMs[Math.floor((tookMs.length - 1) * part)]!.toFixed(1);
      printMeasurement(
        `${tookMs.length} generated requests in ${((performance.now() - from) / 1000).toFixed(1)} s (seed ${SEED}, ${generateMs.toFixed(0)} ms of it to make them): p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${quantile(1)} ms`,
      );
      expect(failures.slice(0, 10).join('\n')).toBe('');
      // Refused imports have left nothing, and no accepted import was lost.
      expect((await tables())!.n - before).toBe(imports);
      expect(
        product
          .output()
          .split('\n')
          .filter((line) => line.startsWith('{')),
      ).toEqual([]);
    },
    Math.max(SLOW_MS, CASES * 20),
  );
});
