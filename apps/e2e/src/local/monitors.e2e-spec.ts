import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Quarry } from '@quarry/sdk';
import { waitFor } from '@quarry/test-servers';
import { ApiClient, brokenInvariants, runAdmin, startProduct, type Product } from '@quarry/testing';

interface Refusal {
  error: { code: string; message: string; details?: Array<{ path: string }> };
}

const WEEKLY = { cron: '0 9 * * 1', time_zone: 'Europe/Berlin' };
let dir: string;
let product: Product;
let api: ApiClient;
let quarry: Quarry;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'quarry-monitors-'));
  product = await startProduct({ env: { RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'error' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  quarry = new Quarry({ baseUrl: product.baseUrl, apiKey: product.credentials.api_key });
  await importFirms(500);
}, 120_000);
afterAll(async () => {
  const broken = await brokenInvariants(product.database!.database);
  await product.dispose();
  rmSync(dir, { recursive: true });
  expect(broken).toEqual({});
});

/** Replaces the directory with the first `count` firms of a list. @param renamed other names, by position */
async function importFirms(count: number, renamed: Record<number, string> = {}): Promise<void> {
  const file = join(dir, `firms-${count}.csv`);
  const lines = Array.from(
    { length: count },
    (_, i) => `${renamed[i] ?? `Firm ${i}`},firm-${i}.example,Fintech,Berlin,Germany`,
  );
  writeFileSync(file, `name,domain,industry,city,country\n${lines.join('\n')}\n`);
  const env = { DATABASE_URL: product.database!.url, DATA_DIR: product.dataDir };
  const args = ['directory:import', '--kind', 'companies', '--file', file, '--name', 'firms'];
  expect((await runAdmin(env, args)).code).toBe(0);
  const last = { domain: `firm-${count - 1}.example` };
  await waitFor(`${count} firms to be found`, async () => {
    const { body } = await api.post<{ output?: unknown }>('/services/enrichCompany', last);
    return JSON.stringify(body.output ?? null).includes(`Firm ${count - 1}`);
  });
}

/** Creates a plan of up to 1,000 firms with a column that is charged per row. @returns its id */
async function paidPlan(): Promise<string> {
  const { id, intent } = await quarry.plans.create({ prompt: '1000 fintech companies in Berlin' });
  const column = {
    key: 'known_as',
    required: false,
    fragments: [],
    from: 'user',
    source: { from: 'service', service: 'enrichCompany', inputs: { domain: 'domain' }, field: 'name' },
  };
  const columns = [...((intent['columns'] as unknown[] | undefined) ?? []), column];
  return (await quarry.plans.create({ plan_id: id, intent: { ...intent, columns } })).id;
}

const ended = (id: string, dueAt: string) =>
  waitFor(`the run of ${dueAt} to end`, async () => {
    const [run] = (await quarry.monitors.listRuns(id, { limit: 1 })).items;
    return run!.due_at === dueAt && run!.status !== 'working' && run!;
  });

async function triggered(id: string) {
  const { due_at: dueAt } = await quarry.monitors.trigger(id);
  return ended(id, dueAt);
}

async function itemsOf(id: string, since?: string) {
  const items = [];
  for await (const item of quarry.monitors.listItems(id, { limit: 7, ...(since ? { since } : {}) }))
    items.push(item);
  return items;
}

async function chargesOf(runId: string): Promise<number> {
  let charges = 0;
  for await (const { kind } of quarry.credits.listLedger({ run_id: runId }))
    charges += kind === 'charge' ? 1 : 0;
  return charges;
}

describe('a monitor', () => {
  it('pays for 20 new rows of 520, and reports only them', async () => {
    const monitor = await quarry.monitors.create({
      name: 'New firms',
      plan_id: await paidPlan(),
      schedule: WEEKLY,
      first_run: 'silent',
    });
    expect(monitor).toMatchObject({ status: 'active', pause_reason: null, schedule: WEEKLY, last_run: null });
    expect(monitor.next_runs).toHaveLength(5);
    const first = await triggered(monitor.id);
    expect(first).toMatchObject({ status: 'completed', is_silent: true, new: 500, known: 0, credits: 0 });
    expect(await itemsOf(monitor.id)).toEqual([]);

    const since = new Date().toISOString();
    await importFirms(520);
    const second = await triggered(monitor.id);
    expect(second).toMatchObject({ status: 'completed', is_silent: false, new: 20, known: 500, credits: 20 });
    expect(await chargesOf(second.run_id!)).toBe(20);
    const items = await itemsOf(monitor.id, since);
    expect(new Set(items.map(({ row }) => row!.values['domain']))).toEqual(
      new Set(Array.from({ length: 20 }, (_, i) => `firm-${500 + i}.example`)),
    );
    expect(await itemsOf(monitor.id, new Date(Date.now() + 60_000).toISOString())).toEqual([]);

    const third = await triggered(monitor.id);
    expect(third).toMatchObject({ status: 'completed', new: 0, known: 520, credits: 0 });
    const events = await waitFor('the feed to tell of all runs', async () => {
      const { items } = await quarry.events.list({ types: ['monitor.run.completed'] });
      return items.length === 3 && items.map(({ data }) => data);
    });
    expect(events).toMatchObject([
      { monitor_id: monitor.id, new: 0, known: 0, credits: 0 },
      { monitor_id: monitor.id, run_id: second.run_id, new: 20, known: 500, charged: 20, credits: 20 },
      { monitor_id: monitor.id, new: 0, known: 520, credits: 0 },
    ]);
    await quarry.monitors.delete(monitor.id);
    expect((await api.get(`/v1/monitors/${monitor.id}`)).status).toBe(404);
  });

  it('looks up as many rows as its budget covers, and the rest in a later run', async () => {
    const monitor = await quarry.monitors.create({
      name: 'Five at a time',
      plan_id: await paidPlan(),
      schedule: WEEKLY,
      max_credits_per_run: 5,
      max_credits_per_month: 7.5,
    });
    const runs = [await triggered(monitor.id), await triggered(monitor.id), await triggered(monitor.id)];
    expect(runs).toMatchObject([
      { status: 'completed', rows_max: 5, new: 5, credits: 5 },
      { status: 'completed', rows_max: 2, new: 2, credits: 2 },
      { status: 'skipped', reason: 'budget', run_id: null, credits: 0 },
    ]);
    expect(await itemsOf(monitor.id)).toHaveLength(7);
    const paused = await quarry.monitors.get(monitor.id);
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'budget', next_runs: [] });
    await waitFor('the feed to tell of it', async () => {
      const { items } = await quarry.events.list({ types: ['monitor.paused'] });
      const { subject, data } = items.at(-1) ?? {};
      return subject === monitor.id && data?.reason === 'budget' && data.status === 'paused';
    });
    const more = await quarry.monitors.update(monitor.id, { name: 'More', max_credits_per_month: 100 });
    expect(more).toMatchObject({ name: 'More', max_credits_per_run: 5, max_credits_per_month: 100 });
    expect(await quarry.monitors.resume(monitor.id)).toMatchObject({ status: 'active', pause_reason: null });
    expect(await quarry.monitors.pause(monitor.id)).toMatchObject({ pause_reason: 'requested' });
    expect((await quarry.monitors.list()).items.map(({ id }) => id)).toContain(monitor.id);
    await quarry.monitors.delete(monitor.id);
  });

  it('reports a known row again if a watched column changed, once and at no cost', async () => {
    const body = { name: 'Renamed', plan_id: await paidPlan(), schedule: WEEKLY };
    const wrong = { ...body, watch: ['name', 'known_as', 'shoe_size'] };
    const { status, body: refusal } = await api.post<Refusal>('/v1/monitors', wrong);
    expect([status, refusal.error.code]).toEqual([400, 'invalid_request']);
    expect(refusal.error.details?.map(({ path }) => path)).toEqual(['watch[1]', 'watch[2]']);
    const monitor = await quarry.monitors.create({ ...body, first_run: 'silent', watch: ['name'] });
    expect(monitor).toMatchObject({ watch: ['name'], estimate: { credits_min: 0 } });
    expect(await triggered(monitor.id)).toMatchObject({ is_silent: true, new: 520, updated: 0, credits: 0 });
    expect(await triggered(monitor.id)).toMatchObject({ new: 0, updated: 0, known: 520, credits: 0 });
    expect(await itemsOf(monitor.id)).toEqual([]);

    const since = new Date().toISOString();
    await importFirms(521, { 7: 'Firm 7 Limited' });
    const changed = await triggered(monitor.id);
    expect(changed).toMatchObject({ status: 'completed', new: 1, updated: 1, known: 519, credits: 1 });
    expect(await chargesOf(changed.run_id!)).toBe(1);
    const items = await itemsOf(monitor.id, since);
    const updated = items.find(({ updated_at: at }) => at !== null)!;
    expect(items.map(({ row }) => row!.values['domain']).sort()).toEqual([
      'firm-520.example',
      'firm-7.example',
    ]);
    expect(updated).toMatchObject({ run_id: changed.run_id, row: { values: { name: 'Firm 7 Limited' } } });
    expect(updated.row!.values['known_as'] ?? null).toBeNull();
    expect(updated.first_seen < since && updated.updated_at! >= since).toBe(true);

    expect(await triggered(monitor.id)).toMatchObject({ new: 0, updated: 0, known: 521, credits: 0 });
    expect(await itemsOf(monitor.id)).toHaveLength(2);
    await waitFor('the feed to tell of the change', async () => {
      const { items: events } = await quarry.events.list({ types: ['monitor.run.completed'] });
      return events.some(({ data }) => data['run_id'] === changed.run_id && data['updated'] === 1);
    });
    await quarry.monitors.delete(monitor.id);
  });

  it.each([
    [{ watch: ['shoe_size'] }, 'watch[0] must be the key of a column that the search fills: name'],
    [{ watch: [] }, 'watch'],
    [{ watch: ['name', 'name'] }, 'watch'],
    [{ schedule: { cron: '0 9 * *', time_zone: 'UTC' } }, 'schedule.cron'],
    [{ schedule: { cron: '*/5 * * * *', time_zone: 'UTC' } }, 'schedule.cron'],
    [{ schedule: { cron: '0 9 * * 1', time_zone: '+01:00' } }, 'schedule.time_zone'],
    [{ schedule: { cron: '0 9 * * 1' } }, 'schedule.time_zone'],
    [{ max_credits_per_run: -1 }, 'max_credits_per_run'],
    [{ prompt: 'how are you?' }, 'prompt'],
    [{ prompt: 'fintech companies in Berlin with frobnication' }, 'frobnication”'],
    [{ plan_id: 'plan_00000000000000000000000000' }, 'prompt'],
  ])('is refused with the invalid field: %j', async (wrong, path) => {
    const body = { name: 'Wrong', prompt: 'fintech companies in Berlin', schedule: WEEKLY, ...wrong };
    const { status, body: refusal } = await api.post<Refusal>('/v1/monitors', body);
    expect([status, refusal.error.code]).toEqual([400, 'invalid_request']);
    expect(refusal.error.message).toContain(path);
  });

  it('is created once per Idempotency-Key', async () => {
    const body = { name: 'Once', prompt: 'fintech companies in Berlin', schedule: WEEKLY };
    const send = () => api.post<{ id: string }>('/v1/monitors', body, { 'idempotency-key': 'one-monitor' });
    const [one, two] = [await send(), await send()];
    expect([one.status, two.status, two.body.id]).toEqual([201, 201, one.body.id]);
    await quarry.monitors.delete(one.body.id);
  });
});
