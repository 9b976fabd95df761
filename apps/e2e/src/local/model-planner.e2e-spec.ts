import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { ModelServer, waitFor, type ModelRequest } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

const GERMAN = 'Suche 3 Softwarefirmen in Deutschland, nicht in Berlin';
const ENGLISH = '3 fintech companies in Germany';
const FALLBACK = 'The rules have read this prompt in its place.';

const filter = (name: string, op: string, value: unknown, fragment: string) => ({
  of: 'company',
  filter: name,
  op,
  value,
  fragments: [fragment],
});
const place = (kind: string, id: string, fragment: string) =>
  filter('places', 'in', [{ kind, id }], fragment);
const entry = (filters: unknown[], more: object = {}) => ({
  tables: [
    {
      source: { kind: 'directory' },
      entity: 'company',
      filters,
      exclusions: [],
      not_understood: [],
      ...more,
    },
  ],
});
const GERMAN_ANSWER = entry(
  [filter('industries', 'any_of', ['software'], 'Softwarefirmen'), place('country', 'DE', 'Deutschland')],
  {
    exclusions: [[place('city', 'DE-berlin', 'Berlin')]],
    count: { value: 3, fragments: ['3'] },
  },
);
const SOUND = [filter('industries', 'any_of', ['fintech'], 'fintech'), place('country', 'DE', 'Germany')];
const COUNT = { count: { value: 3, fragments: ['3'] } };
const INVENTED = entry([...SOUND, filter('is_hiring', 'is', true, 'companies')], COUNT);

let model: ModelServer;
let product: Product;
let api: ApiClient;
let metricsUrl: string;

beforeAll(async () => {
  model = await ModelServer.start('openai');
  // The model also receives the sample prompt of the first start.
  model.play(() => ({ status: 401 }));
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  product = await startProduct({
    env: {
      MODEL_URL: model.url,
      MODEL_KEY: model.key,
      MODEL_NAME: 'spec-model',
      METRICS_PORT: String(port),
      RATE_LIMIT_SCALE: '100',
    },
  });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
});
afterAll(async () => {
  await product.dispose();
  await model.stop();
});

interface PlanBody {
  planner: string;
  intent: { filters: any[]; exclusions: any[][] };
  notes: string[];
  not_understood: string[];
  understood: Array<{ fragment: string }>;
  links: { runs: string };
}

async function planOf(prompt: string): Promise<PlanBody> {
  const { status, body } = await api.post<PlanBody>('/v1/plans', { prompt });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

async function ended(path: string, body: object): Promise<RunJson> {
  const started = await api.post<RunJson>(path, body);
  expect(started.status).toBe(202);
  return waitFor('the run to end', async () => {
    const { body: run } = await api.get<RunJson>(started.body.links.self);
    return ['completed', 'failed', 'cancelled'].includes(run.status) ? run : null;
  });
}

describe('a product with a language model', () => {
  it('plans by what the model reads, and runs that plan without another model call', async () => {
    model.play((request) => {
      expect(request.promptText).toContain(GERMAN);
      return { object: GERMAN_ANSWER };
    });
    const plan = await planOf(GERMAN);
    expect(plan).toMatchObject({ planner: 'model', notes: [], not_understood: [] });
    expect(plan.understood.map(({ fragment }) => fragment)).toEqual([
      'Softwarefirmen',
      'Deutschland',
      'Berlin',
      '3',
    ]);
    const run = await ended(plan.links.runs, {});
    expect(run).toMatchObject({
      status: 'completed',
      message: expect.stringContaining('industry: Software'),
    });
    expect(model.requests).toHaveLength(1);
    const { body } = await api.get<{ items: any[] }>(run.artifacts[0]!.links.rows);
    expect(body.items).toHaveLength(3);
    for (const { values } of body.items)
      expect(values).toMatchObject({ industry: 'Software & SaaS', country: 'Germany' });
    const direct = await ended('/v1/runs', { prompt: GERMAN });
    expect(direct).toMatchObject({ status: 'completed', artifacts: [{ type: 'table' }] });
    expect(model.requests).toHaveLength(2);
    expect(model.requests.every(({ hasKey, leaksKey }: ModelRequest) => hasKey && !leaksKey)).toBe(true);
  });

  it('has an invented filter corrected, or falls back to the rules and says so', async () => {
    model.play(
      () => ({ object: INVENTED }),
      (request) => {
        expect(request.promptText).toContain('"companies" says nothing by itself');
        return { object: entry(SOUND, COUNT) };
      },
    );
    expect(await planOf(ENGLISH)).toMatchObject({
      planner: 'model',
      intent: { filters: [{}, {}] },
      notes: [],
    });
    model.play(() => ({ object: INVENTED }));
    const plan = await planOf(ENGLISH);
    expect(plan).toMatchObject({ planner: 'rules', intent: { filters: [{}, {}] } });
    expect(plan.notes).toEqual([
      expect.stringContaining(FALLBACK),
      expect.stringMatching(/^Refused: filters\.2\.fragments: /),
      expect.stringMatching(/^Refused: filters\.2\.fragments: /),
    ]);
    expect(model.requests).toHaveLength(2);
  });

  it('falls back to the rules if the model is unavailable, and the run says so', async () => {
    model.play(() => ({ status: 401 }));
    const run = await ended('/v1/runs', { prompt: ENGLISH });
    expect(run).toMatchObject({ status: 'completed', message: expect.stringContaining(FALLBACK) });
    expect(run.message).not.toContain(model.url);
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/quarry_model_asks_total\{outcome="answered",app="local"\} 6/);
    expect(metrics).toMatch(/quarry_model_asks_total\{outcome="rejected",app="local"\} [1-9]/);
    expect(product.output()).not.toContain(model.key);
  });
});
