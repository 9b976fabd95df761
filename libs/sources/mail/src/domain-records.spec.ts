import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { DnsClient, OutboundError } from '@quarry/safe-http';
import { NameServer } from '@quarry/test-servers';
import { DomainRecords } from './domain-records.js';

const keyOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');

let texts: Record<string, string[]> = {};
let names: NameServer;

beforeEach(async () => {
  texts = {};
  names = await NameServer.start(({ type, name }) => {
    return type === 'TXT' ? (texts[name] ?? []) : [];
  });
});
afterEach(() => names.stop());

const check = (selector: string | null = 'quarry', domain = 'sender.example') =>
  new DomainRecords(new DnsClient([names.address], [])).checkDomain(domain, selector);

describe('the mail records of a domain', () => {
  it.each<[string[], string]>([
    [['v=spf1 include:_spf.example ~all'], 'good'],
    [['something else', 'v=spf1 mx -all'], 'good'],
    [['v=spf1 redirect=_spf.example'], 'good'],
    [['v=spf1 mx +all'], 'weak'],
    [['v=spf1 mx all'], 'weak'],
    [['v=spf1 mx ?all'], 'weak'],
    [['v=spf1 mx'], 'weak'],
    [['v=spf1 mx -all', 'v=spf1 a -all'], 'weak'],
    [['v=spf10 -all'], 'missing'],
    [[], 'missing'],
  ])('are rated by SPF: %j is %s', async (records, status) => {
    texts['sender.example'] = records;
    expect((await check()).spf.status).toBe(status);
  });

  it('are rated by the DKIM key under its selector', async () => {
    const dkim = async (record: string[]): Promise<string> => {
      texts['quarry._domainkey.sender.example'] = record;
      return (await check()).dkim.status;
    };
    expect(await dkim([`v=DKIM1; k=rsa; p=${keyOf(2048)}`])).toBe('good');
    expect(await dkim(['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='])).toBe('good');
    expect(await dkim([`p=${keyOf(512)}`])).toBe('weak');
    expect(await dkim(['v=DKIM1; p='])).toBe('weak');
    expect(await dkim([])).toBe('missing');
  });

  it('are looked up under common selectors if none is known', async () => {
    expect((await check(null)).dkim.status).toBe('unknown');
    texts['selector1._domainkey.sender.example'] = [`v=DKIM1; p=${keyOf(2048)}`];
    expect((await check(null)).dkim).toEqual({
      status: 'good',
      explanation: 'A DKIM key is published at selector1._domainkey.sender.example.',
    });
  });

  it.each<[string, string[], string]>([
    ['sender.example', ['v=DMARC1; p=reject; rua=mailto:a@b.example'], 'good'],
    ['sender.example', ['v=DMARC1; p=quarantine'], 'good'],
    ['sender.example', ['v=DMARC1; p=none'], 'weak'],
    ['sender.example', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'weak'],
    ['sender.example', [], 'missing'],
    ['mail.sender.example', ['v=DMARC1; p=reject'], 'good'],
  ])('are rated by DMARC: %s with %j is %s', async (domain, records, status) => {
    texts['_dmarc.sender.example'] = records;
    expect((await check('quarry', domain)).dmarc.status).toBe(status);
  });

  it('are unknown if no name server answers', async () => {
    const texts = () => Promise.reject(new OutboundError('unreachable', 'The name server did not answer.'));
    const { spf, dkim, dmarc } = await new DomainRecords({ resolveTexts: texts }).checkDomain(
      'sender.example',
      null,
    );
    expect([spf.status, dkim.status, dmarc.status]).toEqual(['unknown', 'unknown', 'unknown']);
  });
});
