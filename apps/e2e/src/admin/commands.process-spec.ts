import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { createTestDatabase, runAdmin, type TestDatabase } from '@quarry/testing';

const ctx = systemCtx('spec');
/** Commands that operators use in scripts. */
const COMMANDS = [
  'audit:list',
  'audit:verify',
  'backup',
  'credits:grant',
  'directory:drop',
  'directory:erase',
  'directory:import',
  'directory:list',
  'erase',
  'exclusions:add',
  'key:create',
  'key:list',
  'key:revoke',
  'limits:set',
  'limits:show',
  'migrate',
  'org:create',
  'org:list',
  'restore',
  'secrets:reseal',
  'table:export',
  'table:import',
  'user:create',
  'user:list',
  'user:login-link',
];

describe('the admin command', () => {
  let test: TestDatabase;
  let dir: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'quarry-admin-'));
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await test.drop();
  });

  const admin = (args: string[], input = '') =>
    runAdmin({ DATABASE_URL: test.url, DATA_DIR: dir }, args, input);

  async function organisation(): Promise<string> {
    return (await createOrganisation(test.database, { name: 'Operated', credits: 10 })).orgId;
  }

  const unrevokedOf = (orgId: string) =>
    test.database.query<{ id: string }>(
      ctx,
      'SELECT id FROM identity.api_keys WHERE org_id = $1 AND revoked_at IS NULL',
      [orgId],
    );

  it.each([[['--help']], [['help']]])('lists its commands, each with a description, for %j', async (args) => {
    const ran = await admin(args);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const named = [...ran.stdout.matchAll(/^ {2}npm run (?:admin -- )?([a-z:-]+).*\n {6}[A-Z].{20}/gm)].map(
      ([, name]) => name,
    );
    expect(named.sort()).toEqual(COMMANDS);
  });

  it('prints the usage of a command, and runs nothing', async () => {
    const ran = await admin(['org:create', '--help']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('npm run admin -- org:create --name N --credits C');
    expect(ran.stdout).toContain('Creates an organisation');
  });

  it('exits with code 1 and the list of commands for an unknown one', async () => {
    const ran = await admin(['org:creat']);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('There is no command org:creat.');
    expect(ran.stderr).toContain('org:create --name N --credits C');
  });

  it('lists organisations, users and keys, and shows no secret part of a key', async () => {
    const made = await createOrganisation(test.database, { name: 'Listed', credits: 10 });
    const items = async (...args: string[]) => JSON.parse((await admin(args)).stdout).items;
    expect(await items('org:list')).toContainEqual(
      expect.objectContaining({ org_id: made.orgId, name: 'Listed' }),
    );
    expect(await items('user:list', '--org', made.orgId)).toEqual([
      { user_id: made.userId, email: made.email, created_at: expect.any(String) },
    ]);
    const keys = await items('key:list', '--org', made.orgId);
    expect(keys.map(({ mode, last_four, revoked_at }: any) => ({ mode, last_four, revoked_at }))).toEqual([
      { mode: 'live', last_four: made.apiKey.slice(-4), revoked_at: null },
      { mode: 'test', last_four: made.testKey.slice(-4), revoked_at: null },
    ]);
    expect(JSON.stringify(keys)).not.toContain(made.apiKey.slice(8, 40));
  });

  it('creates a link to where the last npm start served the web application, or to the given address', async () => {
    const { email } = await createOrganisation(test.database, { name: 'Linked', credits: 10 });
    const addressFrom = async (...args: string[]) => {
      const { stdout } = await admin(['user:login-link', '--email', email, ...args]);
      return (JSON.parse(stdout).login_link as string).split('#')[0];
    };
    expect(await addressFrom()).toBe('http://127.0.0.1:3000/app/login');
    writeFileSync(join(dir, 'credentials.json'), '{"app_url":"http://127.0.0.1:4150/app"}');
    expect(await addressFrom()).toBe('http://127.0.0.1:4150/app/login');
    const given = await addressFrom('--app-url', 'https://quarry.example/app/');
    expect(given).toBe('https://quarry.example/app/login');
  });

  it('reads the key from standard input, without its line break, and never prints it', async () => {
    const org = await organisation();
    const made = await new IdentityStore(test.database).createKey(ctx, { orgId: org, mode: 'live' });
    const ran = await admin(['key:revoke', '--key', '-'], `${made.apiKey}\n`);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({ key_id: made.keyId, revoked_at: expect.any(String) });
    const left = (await unrevokedOf(org)).map(({ id }) => id);
    expect(left).toHaveLength(2);
    expect(left).not.toContain(made.keyId);
  });

  it('revokes nothing if standard input is empty or contains no key', async () => {
    const org = await organisation();
    for (const input of ['', 'qk_live_abc\n']) {
      const ran = await admin(['key:revoke', '--key', '-'], input);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toContain('API key not found');
    }
    expect(await unrevokedOf(org)).toHaveLength(2);
  });

  it('exits secrets:reseal with code 1 if a key cannot be read, so that no script removes the old secret', async () => {
    const reseal = () =>
      runAdmin(
        { DATABASE_URL: test.url, DATA_DIR: dir, ENCRYPTION_KEYS: `${'f'.repeat(32)},${'o'.repeat(32)}` },
        ['secrets:reseal'],
      );
    const org = await organisation();
    expect(await reseal()).toMatchObject({ code: 0, stderr: '' });
    await test.database.query(
      { ...ctx, orgId: org },
      `INSERT INTO identity.vendor_choices (org_id, mode, vendor, enabled, sealed_key, key_hint) VALUES ($1, 'live', 'hunter', TRUE, 'none', 'last')`,
      [org],
    );
    const ran = await reseal();
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('1 secrets cannot be decrypted with any of ENCRYPTION_KEYS');
  });
});
