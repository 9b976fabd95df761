import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Agent, request } from 'node:http';
import { createOrganisation } from '@quarry/composition';
import type { RunJson, TableJson } from '@quarry/dto';
import { ERROR_CODES, isErrorCode } from '@quarry/error-codes';
import { systemCtx } from '@quarry/app';
import { ApiClient, seedsOf, startProduct, type Product } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { generatedRequests, type RequestCase, type Scene } from './generated-requests.fixture.js';

/** Number of requests. QUARRY_INPUT_CASES=1000000 makes a long run; SEED repeats a run. */
const CASES = Number(process.env.QUARRY_INPUT_CASES ?? 1_000);
const [SEED = 0] = seedsOf('generated requests');
const AT_ONCE = 12;
const CHUNK_CASES = 1000;
const SLOW_MS = 120_000;
/** Internal texts that no answer may contain: SQL, file paths, words of PostgreSQL and Node. */
const INNER_WORDS =
  /SELECT |INSERT |UPDATE |DELETE FROM|jsonb|::text|pg_|violates|relation "|syntax error|invalid input|node_modules|\/dist\/|\.[jt]s:\d|\n\s+at |ECONN|TypeError|RangeError/g;
/** Statuses other than the default status of a code. Source: docs/contract.md#2-order-of-checks; 416 is HTTP's. */
const OTHER_STATUSES = [405, 408, 413, 415, 416, 417, 431];

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  bytes: Buffer;
  tookMs: number;
}

describe('generated requests to workspaces, tables, exclusions and exports', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let product: Product;
  let api: ApiClient;
  let scene: Scene;

  beforeAll(async () => {
    product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000000', LOG_LEVEL: 'error' } });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    scene = await prepared();
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

  async function prepared(): Promise<Scene> {
    const other = await createOrganisation(product.database!.database, { name: 'Other', credits: 10 });
    const otherOrg = new ApiClient(product.baseUrl, other.apiKey);
    const cursorOf = async (client: ApiClient, path: string) =>
      (await client.get<{ next_cursor: string }>(`${path}?limit=1`)).body.next_cursor;
    const [own, second, foreign] = [
      await importedTable(api),
      await importedTable(api),
      await importedTable(otherOrg),
    ];
    const [run, otherRun] = [await frozenRun(api), await frozenRun(api)];
    const made = await api.post<{ id: string; links: { self: string } }>(`/v1/runs/${run}/exports`, {
      table_key: 'firms',
      format: 'csv',
    });
    const file = await fetch(`${product.baseUrl}${made.body.links.self}`, {
      headers: { authorization: `Bearer ${api.apiKey}` },
    });
    return {
      ...own,
      run,
      exp: made.body.id,
      rowsCursor: await cursorOf(api, `/v1/tables/${own.tbl}/rows`),
      frozenCursor: await cursorOf(api, `/v1/runs/${run}/output/tables/firms/rows`),
      foreignCursors: [
        await cursorOf(api, `/v1/tables/${second.tbl}/rows`),
        await cursorOf(otherOrg, `/v1/tables/${foreign.tbl}/rows`),
        await cursorOf(api, `/v1/runs/${otherRun}/output/tables/firms/rows`),
        await cursorOf(api, '/credits/ledger'),
      ].filter((cursor) => typeof cursor === 'string'),
      exportFile: Buffer.from(await file.arrayBuffer()),
      exportTag: file.headers.get('etag') ?? '',
    };
  }

  function send({ method, path, headers, body }: RequestCase): Promise<Answer> {
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
            ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
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
      sent.end(body);
    });
  }

  /** @throws what is wrong with the answer */
  function checkAnswer(request: RequestCase, { status, headers, bytes }: Answer): void {
    const text = bytes.toString();
    if (!request.status.includes(status))
      throw new Error(`status ${status}, not ${request.status.join(' or ')}`);
    if (typeof headers['x-request-id'] !== 'string') throw new Error('no request id');
    if (status < 400) return request.check?.({ status, bytes });
    if (headers['content-type'] !== 'application/json; charset=utf-8') throw new Error('no JSON');
    const envelope = JSON.parse(text) as { error: { code: string; message: string; details?: unknown } };
    const { code, message, details, ...more } = envelope.error;
    if (Object.keys(envelope).join() !== 'error' || Object.keys(more).length > 0)
      throw new Error('no envelope');
    if (!isErrorCode(code) || !request.codes?.includes(code)) throw new Error(`code ${code}`);
    if (ERROR_CODES[code].status !== status && !OTHER_STATUSES.includes(status))
      throw new Error(`code ${code} under ${status}`);
    if (typeof message !== 'string' || message === '') throw new Error('no message');
    // A word of the request itself may be repeated, such as a parameter randomly named "ppg_".
    const isEcho = (word: string) => `${request.path} ${String(request.body ?? '')}`.includes(word);
    if ((text.match(INNER_WORDS) ?? []).some((word) => !isEcho(word))) throw new Error('inner words');
    if (text.length > 100_000) throw new Error(`a refusal of ${text.length} characters`);
    if (request.at === undefined) return;
    const paths = Array.isArray(details) ? details.map(({ path }: { path: unknown }) => path) : [];
    if (!paths.includes(request.at)) throw new Error(`names ${JSON.stringify(paths)}, not ${request.at}`);
  }

  async function readBack(request: RequestCase, { bytes }: Answer): Promise<void> {
    if (!request.imported) return;
    const { links } = JSON.parse(bytes.toString()) as TableJson;
    const { body } = await api.get<{ items: Array<{ values: unknown }> }>(`${links.rows}?limit=1000`);
    expect(body.items.map(({ values }) => values)).toEqual(request.imported);
  }

  it(
    `get responses as the contract says, with the error envelope and the invalid field (${CASES} requests)`,
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
        const cases = fc.sample(generatedRequests(scene), {
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
              if (request.imported) imports += 1;
              await readBack(request, answer);
            } catch (error) {
              const body = String(request.body ?? '').slice(0, 400);
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
