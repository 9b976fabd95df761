import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SealedSecrets, type Ctx } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { VendorSimulator } from '@quarry/test-servers';
import { ConfiguredProviders } from '../operator/configured-providers.js';
import { ImportedDirectories } from '@quarry/imported';
import type { ProvidersFile } from '@quarry/engine';
import { TenantProviders } from './tenant-providers.js';
import { resealKeys } from './reseal-keys.js';
import { VendorChoiceStore } from './vendor-choice.store.js';
import { VendorChoices } from './vendor-choices.js';

const OPERATORS = 'operators-hunter-key';
const OWN = 'own-findymail-key-of-the-spec';
const SEALING = 's'.repeat(32);

let test: TestDatabase;
let hunter: VendorSimulator;
let findymail: VendorSimulator;
let orgs = 0;
let ctx: Ctx;
const warnings: unknown[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  const refusal = { status: 401 };
  hunter = await VendorSimulator.start({ key: { header: 'X-API-KEY', value: OPERATORS }, refusal });
  findymail = await VendorSimulator.start({
    key: { header: 'Authorization', prefix: 'Bearer ', value: OWN },
    refusal,
  });
});
beforeEach(() => {
  ctx = testCtx(`org_${++orgs}`, { keyId: 'key_1' });
  warnings.length = 0;
  hunter.playAlways(({ query: { domain } }) => ({
    body: { data: { email: `ada@${domain}`, score: 95, verification: { status: 'valid' } } },
  }));
  findymail.playAlways(({ body }) => {
    const { name, domain } = body as { name: string; domain: string };
    return { body: { contact: { name, domain, email: `ada@${domain}` } } };
  });
});
afterAll(async () => {
  await Promise.all([hunter.stop(), findymail.stop(), test.drop()]);
});

function open({
  keys = [SEALING],
  file = {},
  sandbox = false,
  database = test.database,
  isKeyChecked = false,
}: {
  keys?: string[];
  file?: ProvidersFile;
  sandbox?: boolean;
  database?: TestDatabase['database'];
  isKeyChecked?: boolean;
} = {}) {
  const store = new VendorChoiceStore(database);
  const secrets = new SealedSecrets(keys);
  const { services = {}, providers = { hunter: { base_url: hunter.url } } } = file;
  const operator = new ConfiguredProviders({
    sandbox,
    web: { allowHosts: [hunter.host, findymail.host], dnsServers: [] },
    catalogue: {
      file: { services, providers },
      variable: (name) => (name === 'HUNTER_KEY' ? OPERATORS : undefined),
    },
    logger: { warn: (...entry: unknown[]) => void warnings.push(entry) },
  });
  // The operator has no key for this vendor, and a file that configures its address requires one.
  const { setup } = operator.places.find(({ vendor }) => vendor.id === 'findymail')!;
  Object.assign(setup!, { baseUrl: findymail.url });
  const warn = (...entry: unknown[]): void => void warnings.push(entry);
  const chosen = new TenantProviders(operator, store, secrets, { warn }, new ImportedDirectories(database));
  const choices = new VendorChoices({
    database,
    store,
    secrets,
    places: operator.places,
    checkKey: (vendor, key) => (isKeyChecked ? operator.checkKey(vendor, key) : Promise.resolve(null)),
    onChanged: (tenant) => chosen.forgetTenant(tenant),
  });
  const ask = (tenant: Ctx, signal = AbortSignal.timeout(30_000)) =>
    chosen
      .searcherFor(tenant)
      .answerCall({
        service: 'getEmail',
        input: { first_name: 'Ada', last_name: 'Okafor', domain: 'halbrook.example' },
        searchId: 'search_1',
        signal,
      });
  const itemOf = async (id: string, tenant = ctx) =>
    (await choices.listChoices(tenant)).find((item) => item.id === id);
  return { chosen, choices, ask, itemOf };
}

const other = () => testCtx(`org_${++orgs}`);
const rowOf = (tenant: Ctx) =>
  test.database.queryOne(tenant, 'SELECT * FROM identity.vendor_choices WHERE org_id = $1', [tenant.orgId]);

describe("an organisation's own vendor key", () => {
  it('shows no last characters if it is short', async () => {
    const { choices, itemOf } = open();
    const tenant = other();
    const { key_checked: _, ...kept } = await choices.setChoice(tenant, 'hunter', { key: 'fifteen-letters' });
    expect(kept).toMatchObject({ configured: 'organisation', key_hint: null });
    expect(await itemOf('hunter', tenant)).toEqual(kept);
    expect(await choices.setChoice(tenant, 'hunter', { key: 'sixteen--letters' })).toMatchObject({
      key_hint: 'ters',
    });
  });

  it('is stored encrypted, shown as its last four characters, and recorded in the audit log without them', async () => {
    const { choices, itemOf } = open();
    expect(await itemOf('findymail')).toMatchObject({ configured: null, enabled: true, key_hint: null });
    expect(await itemOf('hunter')).toMatchObject({ configured: 'operator', enabled: true, key_hint: null });
    const { key_checked: isChecked, ...set } = await choices.setChoice(ctx, 'findymail', { key: OWN });
    expect(isChecked).toBe(false);
    expect(set).toMatchObject({ id: 'findymail', configured: 'organisation', key_hint: OWN.slice(-4) });
    // Setting only `enabled` keeps the key, and setting only the key keeps `enabled`.
    expect(await choices.setChoice(ctx, 'findymail', { enabled: false })).toEqual({ ...set, enabled: false });
    expect(await choices.setChoice(ctx, 'findymail', { key: OWN })).toMatchObject({ ...set, enabled: false });
    const events = await new AuditLog(test.database).listEntries(ctx, 9);
    expect(events.map(({ action, object, facts }) => [action, object, facts])).toEqual([
      ['provider.key_set', 'findymail', {}],
      ['provider.switched', 'findymail', { enabled: false }],
      ['provider.key_set', 'findymail', {}],
    ]);
    expect(JSON.stringify([await rowOf(ctx), events, await choices.listChoices(ctx)])).not.toContain(OWN);
    expect(await choices.removeChoice(ctx, 'findymail')).toMatchObject({ configured: null, enabled: true });
    expect(await choices.removeChoice(ctx, 'findymail')).toMatchObject({ configured: null, key_hint: null });
    expect(await rowOf(ctx)).toBeNull();
    expect((await new AuditLog(test.database).listEntries(ctx, 9)).length).toBe(4);
  });

  it('is of its organisation and mode alone', async () => {
    const { choices, itemOf } = open();
    await choices.setChoice(ctx, 'findymail', { key: OWN });
    for (const otherTenant of [other(), { ...ctx, mode: 'test' } as const]) {
      expect(await itemOf('findymail', otherTenant)).toMatchObject({ configured: null, key_hint: null });
      await choices.removeChoice(otherTenant, 'findymail');
    }
    expect(await itemOf('findymail')).toMatchObject({ configured: 'organisation' });
  });

  it("is used for its vendor, after the operator's vendors, at the organisation's expense", async () => {
    const { choices, chosen, ask } = open();
    await choices.setChoice(ctx, 'findymail', { key: OWN });
    expect((await chosen.providersFor(ctx))('getEmail')).toEqual(['web', 'hunter', 'findymail']);
    expect((await chosen.providersFor(other()))('getEmail')).toEqual(['web', 'hunter']);
    hunter.playAlways(() => ({ body: { data: { email: null } } }));
    expect(await ask(ctx)).toMatchObject({
      provider: 'findymail',
      found: true,
      paidBy: 'organisation',
      trail: [
        { provider: 'web', outcome: 'skipped' },
        { provider: 'hunter', outcome: 'miss' },
        { provider: 'findymail', outcome: 'hit' },
      ],
    });
    expect(findymail.calls.map(({ hasKey, leaksKey }) => [hasKey, leaksKey])).toEqual([[true, false]]);
    const answer = await ask(other());
    expect([answer.found, answer.paidBy, findymail.calls.length]).toEqual([false, undefined, 1]);
    await choices.removeChoice(ctx, 'findymail');
    expect((await ask(ctx)).trail).toHaveLength(2);
    expect(findymail.calls).toHaveLength(1);
  });

  it('that its vendor refuses is not stored, and the error names the field', async () => {
    const { choices, itemOf } = open({ isKeyChecked: true });
    const set = (key: string, tenant = ctx) => choices.setChoice(tenant, 'hunter', { key });
    await expect(set('one-that-is-wrong')).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'key' }],
      message: expect.stringContaining('refused by Hunter'),
    });
    expect(await itemOf('hunter')).toMatchObject({ configured: 'operator' });
    expect(await set(OPERATORS)).toMatchObject({ configured: 'organisation', key_checked: true });
    expect(hunter.calls).toMatchObject([
      { path: '/v2/account', hasKey: false },
      { path: '/v2/account', hasKey: true, leaksKey: false },
    ]);
    hunter.playAlways(() => ({ status: 503 }));
    expect(await set(OPERATORS)).toMatchObject({ configured: 'organisation', key_checked: false });
    expect(await set('a key of test mode', { ...ctx, mode: 'test' })).toMatchObject({ key_checked: false });
    expect(await itemOf('hunter')).not.toHaveProperty('key_checked');
  });

  it('that is refused pauses the vendor for its organisation alone, and a new key is tried at once', async () => {
    const { choices, ask } = open();
    await choices.setChoice(ctx, 'hunter', { key: 'one-that-is-wrong' });
    for (let i = 0; i < 2; i += 1)
      await expect(ask(ctx)).rejects.toMatchObject({ code: 'provider_unavailable' });
    // The second key was not called: the vendor is paused.
    expect(hunter.calls.map(({ hasKey }) => hasKey)).toEqual([false]);
    expect(await ask(other())).toMatchObject({ provider: 'hunter', found: true });
    await choices.setChoice(ctx, 'hunter', { key: OPERATORS });
    expect(await ask(ctx)).toMatchObject({ provider: 'hunter', paidBy: 'organisation' });
    expect(warnings).toEqual([
      [expect.objectContaining({ provider: 'hunter', orgId: ctx.orgId }), expect.stringContaining('own key')],
    ]);
    expect(JSON.stringify(warnings)).not.toContain('one-that-is-wrong');
  });

  it('is re-encrypted with the first key, so that the old one can go; unreadable ones stay as they are', async () => {
    const sealedNow = async (tenant: Ctx) => (await rowOf(tenant))!.sealed_key;
    const [otherCtx, lostCtx] = [other(), other()];
    const [fresh, lost] = ['f'.repeat(32), 'l'.repeat(32)];
    await open().choices.setChoice(ctx, 'hunter', { key: OPERATORS });
    await open({ keys: [fresh, SEALING] }).choices.setChoice(otherCtx, 'findymail', { key: OWN });
    await open({ keys: [lost] }).choices.setChoice(lostCtx, 'findymail', { key: OWN });
    const before = [await sealedNow(otherCtx), await sealedNow(lostCtx)];
    const reseal = () => resealKeys(test.database, new SealedSecrets([fresh, SEALING]));
    const first = await reseal();
    expect(first.resealed).toBeGreaterThan(0);
    expect([await sealedNow(otherCtx), await sealedNow(lostCtx)]).toEqual(before);
    expect(await reseal()).toEqual({
      resealed: 0,
      current: first.resealed + first.current,
      unreadable: first.unreadable,
    });
    expect(await open({ keys: [fresh] }).ask(ctx)).toMatchObject({ found: true, paidBy: 'organisation' });
  });

  it('that is set during re-encryption is not overwritten', async () => {
    await open().choices.setChoice(ctx, 'hunter', { key: 'one-that-is-wrong' });
    // The keys are read before the organisation's change, and written after it.
    let isChanged = false;
    const interrupted = Object.create(test.database, {
      query: {
        value: async (...args: Parameters<typeof test.database.query>) => {
          const rows = await test.database.query(...args);
          if (!isChanged) await open().choices.setChoice(ctx, 'hunter', { key: OPERATORS });
          isChanged = true;
          return rows;
        },
      },
    }) as typeof test.database;
    await resealKeys(interrupted, new SealedSecrets(['f'.repeat(32), SEALING]));
    expect(await open().ask(ctx)).toMatchObject({ provider: 'hunter', paidBy: 'organisation' });
  });

  it("that cannot be decrypted excludes its vendor, and the operator's key is not used instead", async () => {
    await open().choices.setChoice(ctx, 'hunter', { key: OPERATORS });
    const later = open({ keys: ['t'.repeat(32)] });
    // The remaining provider, the web, does not look up names that are reserved for examples.
    const trail = [expect.objectContaining({ provider: 'web', outcome: 'skipped' })];
    await expect(later.ask(ctx)).rejects.toMatchObject({ code: 'provider_rejected', trail });
    expect(hunter.calls).toEqual([]);
    expect(warnings).toHaveLength(1);
    // After a rotation it can be decrypted; in the row of another organisation it cannot.
    expect(await open({ keys: ['t'.repeat(32), SEALING] }).ask(ctx)).toMatchObject({ found: true });
    const thief = other();
    await test.database.query(
      testCtx(''),
      'UPDATE identity.vendor_choices SET org_id = $2 WHERE org_id = $1',
      [ctx.orgId, thief.orgId],
    );
    await expect(open().ask(thief)).rejects.toMatchObject({ code: 'provider_rejected', trail });
  });

  it.each([
    ['a vendor that nobody knows', 'nobody', { enabled: true }, [SEALING], 'not_found', /Provider not found/],
    ['nothing at all', 'hunter', {}, [SEALING], 'invalid_request', /key or enabled/],
    [
      'a key that is not asked for',
      'searxng',
      { key: OWN },
      [SEALING],
      'invalid_request',
      /^key does not apply/,
    ],
    [
      'a key where none can be sealed',
      'hunter',
      { key: OWN },
      [],
      'invalid_request',
      /^key .*ENCRYPTION_KEYS/,
    ],
  ])('is refused as %s', async (_what, id, change, keys, code, message) => {
    const { choices } = open({ keys });
    await expect(choices.setChoice(ctx, id, change)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as unknown,
    });
    expect(await rowOf(ctx)).toBeNull();
  });
});

describe('a vendor choice', () => {
  it('that switches off a vendor excludes it for the organisation, without the sandbox as a replacement', async () => {
    const { choices, chosen, ask, itemOf } = open({ sandbox: true, keys: [] });
    await choices.setChoice(ctx, 'hunter', { enabled: false });
    expect(await itemOf('hunter')).toMatchObject({ configured: 'operator', enabled: false });
    await expect(ask(ctx)).rejects.toMatchObject({ code: 'provider_rejected' });
    expect((await chosen.providersFor(ctx))('getEmail')).toEqual(['web']);
    expect((await chosen.providersFor(ctx))('webResearch')).toEqual(['sandbox']);
    expect(await ask(other())).toMatchObject({ provider: 'hunter' });
    await choices.removeChoice(ctx, 'hunter');
    expect(await ask(ctx)).toMatchObject({ provider: 'hunter' });
  });

  it('replaces the sandbox, and comes last if the configured order does not name it', async () => {
    const sandbox = open({ sandbox: true, file: { services: { getEmail: ['sandbox'] } } });
    await sandbox.choices.setChoice(ctx, 'findymail', { key: OWN });
    expect((await sandbox.chosen.providersFor(ctx))('getEmail')).toEqual(['findymail']);
    const ordered = open({ file: { services: { getEmail: ['hunter'] } } });
    expect((await ordered.chosen.providersFor(ctx))('getEmail')).toEqual(['hunter', 'findymail']);
    // Including one that the operator has.
    const closed = open({ file: { services: { getEmail: [] } } });
    await closed.choices.setChoice(ctx, 'hunter', { key: OPERATORS });
    expect((await closed.chosen.providersFor(ctx))('getEmail').sort()).toEqual(['findymail', 'hunter']);
    expect((await closed.chosen.providersFor(other()))('getEmail')).toEqual([]);
    expect(await ordered.chosen.lookupFor('webSearch', ctx)).toBeNull();
    // Test keys get only fiction, whatever is chosen for them.
    const inTest = { ...ctx, mode: 'test' } as const;
    await ordered.choices.setChoice(inTest, 'hunter', { key: OWN });
    expect(await ordered.ask(inTest)).toMatchObject({ provider: 'sandbox' });
    expect((await ordered.chosen.providersFor(inTest))('verifyEmail')).toEqual(['sandbox']);
  });

  it('cannot switch on a vendor that the operator switched off', async () => {
    const { choices, chosen } = open({ file: { providers: { hunter: { enabled: false } } } });
    await expect(choices.setChoice(ctx, 'hunter', { key: OWN })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await open().choices.setChoice(ctx, 'hunter', { key: OWN });
    expect((await chosen.providersFor(ctx))('getEmail')).toEqual(['web']);
    expect((await choices.listChoices(ctx)).find(({ id }) => id === 'hunter')).toMatchObject({
      enabled: false,
    });
  });
});
