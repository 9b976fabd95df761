import { afterEach, describe, expect, it } from '@jest/globals';
import { NameServer } from '@quarry/test-servers';
import { DnsClient, UntrustedNamesError } from './dns.client.js';

let server: NameServer | null = null;
afterEach(() => {
  server?.stop();
  server = null;
});

/** Starts a name server without upstream that only knows the names in `known`, and records its queries. */
async function cutOff(known: Readonly<Record<string, string[]>> = {}) {
  const requests: string[] = [];
  server = await NameServer.start(
    ({ type, name }) => {
      requests.push(`${type} ${name}`);
      return known[`${type} ${name}`] ?? [];
    },
    undefined,
    true,
  );
  return { address: server.address, requests };
}

describe('a name that does not exist', () => {
  it.each<[what: string, ask: (dns: DnsClient) => Promise<unknown>]>([
    ['an address', (dns) => dns.resolveAddresses('acme.example')],
    ['whether there is one', (dns) => dns.hasAddress('acme.example')],
    ['mail servers', (dns) => dns.mailServers('acme.example')],
    ['texts', (dns) => dns.resolveTexts('acme.example')],
    ['name servers', (dns) => dns.nameServers('acme.example')],
  ])('is not trusted if no control name exists either, for a query of %s', async (_, ask) => {
    const { address } = await cutOff();
    await expect(ask(new DnsClient([address]))).rejects.toBeInstanceOf(UntrustedNamesError);
  });

  it.each([
    ['a zone', { 'NS com': ['a.gtld-servers.net'] }],
    ['a host', { 'A iana.org': ['192.0.43.8'] }],
  ])('is an empty answer if one control name exists: %s', async (_, known) => {
    const { address } = await cutOff(known);
    expect(await new DnsClient([address]).mailServers('acme.example')).toEqual([]);
  });

  it('has the control names looked up once for all queries within a minute', async () => {
    const { address, requests } = await cutOff({ 'A dc.internal': ['10.0.0.1'] });
    const dns = new DnsClient([address], ['dc.internal']);
    await Promise.all([
      dns.mailServers('a.example'),
      dns.resolveTexts('b.example'),
      dns.resolveAddresses('c.example'),
    ]);
    await dns.nameServers('d.example');
    expect(requests.filter((each) => each === 'A dc.internal')).toHaveLength(1);
  });

  it('needs no control name if something was found', async () => {
    const { address, requests } = await cutOff({ 'A acme.example': ['192.0.2.1'] });
    expect(await new DnsClient([address]).hasAddress('acme.example')).toBe(true);
    expect(requests).toEqual(['A acme.example']);
  });
});

describe('mail servers of a domain', () => {
  it('are looked up once for all queries within half a minute', async () => {
    const { address, requests } = await cutOff({ 'MX acme.example': [], 'NS com': ['a.gtld-servers.net'] });
    const dns = new DnsClient([address]);
    await Promise.all([dns.mailServers('acme.example'), dns.mailServers('acme.example')]);
    await dns.mailServers('acme.example');
    expect(requests.filter((each) => each === 'MX acme.example')).toHaveLength(1);
  });

  it('are looked up again after a failure', async () => {
    const { address, requests } = await cutOff();
    const dns = new DnsClient([address], ['dc.internal']);
    for (let n = 0; n < 2; n += 1)
      await expect(dns.mailServers('acme.example')).rejects.toBeInstanceOf(UntrustedNamesError);
    expect(requests.filter((each) => each === 'MX acme.example')).toHaveLength(2);
  });
});
