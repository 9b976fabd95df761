import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { systemCtx } from '@quarry/app';
import { useTestDatabase } from '@quarry/testing';
import { COMMANDS, type Options } from './commands.js';

describe('the admin commands', () => {
  const test = useTestDatabase();

  afterEach(() => void jest.restoreAllMocks());

  const run = (name: string, options: Options) => COMMANDS[name]!.run(test.database, options, {});

  async function organisation(): Promise<string> {
    return (await createOrganisation(test.database, { name: 'Operated', credits: 10 })).orgId;
  }

  it('perform a grant of one id once per organisation, and say so', async () => {
    const [org, other] = [await organisation(), await organisation()];
    let output = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((output += String(text))));
    const grant = async (to: string, amount: string, id?: string) => {
      output = '';
      const { balance } = await run('credits:grant', { org: to, amount, id });
      return [balance, output];
    };
    const again = 'A grant with this id was already made: nothing is added.\n';
    expect(await grant(org, '2.5', 'invoice-17')).toEqual([12.5, '']);
    expect(await grant(org, '2.5', 'invoice-17')).toEqual([12.5, again]);
    // An invoice is not paid twice because of a typing error, and a typing error does not pass for a payment.
    await expect(grant(org, '99', 'invoice-17')).rejects.toThrow(/already made, of 2\.5 credits/);
    expect(await grant(other, '2.5', 'invoice-17')).toEqual([12.5, '']);
    expect(await grant(org, '1')).toEqual([13.5, '']);
    expect(await grant(org, '1')).toEqual([14.5, '']);
    const ofTest = { org, amount: '5', mode: 'test', id: 'invoice-17' };
    expect(await run('credits:grant', ofTest)).toMatchObject({ balance: 1005 });
    expect(await run('credits:grant', ofTest)).toMatchObject({ balance: 1005 });
    expect(await grant(org, '2.5', 'invoice-17')).toEqual([14.5, again]);
  });

  it('report no proof for an organisation that does not exist', async () => {
    const verify = run('audit:verify', { org: 'org_x' });
    await expect(verify).rejects.toThrow('There is no organisation org_x.');
    expect(await run('audit:verify', { org: await organisation() })).toMatchObject({ intact: true });
  });

  it('show a key when it is created, and store nothing from which it could be shown again', async () => {
    const org = await organisation();
    const key = String((await run('key:create', { org })).api_key);
    expect(key).toMatch(/^qk_live_/);
    // The part after the key's name. Its last four characters are stored, so that people can distinguish their keys.
    const secret = key.slice('qk_live_'.length + 11, -4);
    const stored = await test.database.query<{ text: string }>(
      systemCtx('spec'),
      `SELECT k::text FROM identity.api_keys k WHERE org_id = $1
       UNION ALL SELECT e::text FROM identity.audit_events e WHERE org_id = $1`,
      [org],
    );
    expect(JSON.stringify(stored)).toContain(key.slice(-4));
    expect(JSON.stringify(stored)).not.toContain(secret);
    const log = JSON.stringify(await run('audit:list', { org }));
    expect(log).toContain('key.created');
    expect(log).not.toContain(secret);
  });
});
