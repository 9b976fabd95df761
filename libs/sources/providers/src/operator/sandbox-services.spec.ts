import { describe, expect, it } from '@jest/globals';
import { allServices, findService, LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import { ConfiguredProviders } from './configured-providers.js';
import type { ProviderAnswer } from '@quarry/engine';
import { SandboxDirectory } from '@quarry/sandbox';

const providers = new ConfiguredProviders({ sandbox: false });
const [company] = new SandboxDirectory().companies();
const [person] = new SandboxDirectory().people();

let calls = 0;
function ask(service: string, input: Record<string, unknown>): Promise<ProviderAnswer> {
  const searchId = `call-${++calls}`;
  return providers
    .waterfallFor('test')
    .answerCall({ service, input, searchId, signal: AbortSignal.timeout(10_000) });
}

/** Inputs with a domain, for the services that need more than a `domain` field. */
const NAMING: Readonly<Partial<Record<string, (domain: string) => Record<string, unknown>>>> = {
  webSearch: (domain) => ({ query: `about ${domain}` }),
  newsSearch: (domain) => ({ query: `about ${domain}` }),
  scrapeUrl: (domain) => ({ url: `https://${domain}/about` }),
  mapWebsite: (domain) => ({ url: `https://www.${domain}` }),
  extractData: (domain) => ({
    urls: [`https://${domain}`],
    schema: { properties: { name: { type: 'string' } } },
  }),
  findDomain: (named) => ({ company: named }),
  enrichPerson: (domain) => ({ first_name: 'Ada', last_name: 'Lovelace', domain }),
  findLinkedInUrl: (domain) => ({ name: 'Ada Lovelace', domain }),
  verifyEmail: (domain) => ({ email: `ada@${domain}` }),
  validatePhone: (domain) => ({ phone: '+12125550123', country: domain }),
  classifyText: (domain) => ({ text: `Pumps of ${domain} for industry`, labels: ['industry', 'retail'] }),
};
const inputNaming = (service: string, domain: string): Record<string, unknown> =>
  NAMING[service]?.(domain) ?? { domain };
const SERVICES = Object.keys(LOOKUP_OUTPUTS);

describe('the sandbox of a test key', () => {
  it('answers all services', () => {
    const answered = allServices().filter(
      ({ name }) =>
        providers
          .routeOf(name, 'test')
          .map(({ provider }) => provider.id)
          .join() === 'sandbox',
    );
    expect(answered).toEqual(allServices());
  });

  it.each(SERVICES)('finds results for the example of %s, valid for its output schema', async (name) => {
    const service = findService(name)!;
    for (const example of service.examples) {
      const input = service.input.parse(example) as Record<string, unknown>;
      const { found, output, provider } = await ask(name, input);
      expect([found, provider]).toEqual([true, 'sandbox']);
      expect(service.output.safeParse(output).error).toBeUndefined();
      expect(await ask(name, input)).toMatchObject({ output });
    }
  });

  it.each(SERVICES)('obeys control domains in %s', async (name) => {
    const { output: schema } = findService(name)!;
    for (const [label, code] of [
      ['timeout', 'timeout'],
      ['capacity', 'capacity'],
      ['provider-error', 'provider_error'],
      ['provider-unavailable', 'provider_unavailable'],
      ['invalid-output', 'invalid_output'],
      ['rejected', 'provider_rejected'],
      ['interrupted', 'interrupted'],
    ])
      await expect(ask(name, inputNaming(name, `${label}.sandbox.test`))).rejects.toMatchObject({ code });
    for (const label of ['flaky', 'slow-0s', 'miss']) {
      const { output, found } = await ask(name, inputNaming(name, `${label}.sandbox.test`));
      expect([label, schema.safeParse(output).error]).toEqual([label, undefined]);
      // A company may have no open positions, and two services return a result about a domain or address in any case.
      if (label !== 'miss') expect([label, found || name === 'getJobPostings']).toEqual([label, true]);
      else expect(found).toBe(['domainInfo', 'verifyEmail'].includes(name));
    }
  });

  it('returns the same company and person of the directory in every service', async () => {
    const { domain, name, linkedin_url } = company!;
    expect((await ask('enrichCompany', { domain })).output).toMatchObject({ domain, name, linkedin_url });
    expect((await ask('findDomain', { company: name })).output).toMatchObject({ domain });
    expect((await ask('findSocials', { domain })).output).toMatchObject({ linkedin_url });
    expect((await ask('webSearch', { query: name, limit: 1 })).output).toMatchObject({
      items: [{ title: name }],
    });
    const input = { urls: [`https://${domain}`], schema: { properties: { name: { type: 'string' } } } };
    expect((await ask('extractData', input)).output).toMatchObject({ data: { name } });
    const { full_name, company: employer } = person!;
    const profile = { linkedin_url: person!.linkedin_url };
    expect((await ask('enrichPerson', profile)).output).toMatchObject({
      full_name,
      company_name: employer.name,
    });
    const named = { name: full_name, domain: employer.domain };
    expect((await ask('findLinkedInUrl', named)).output).toMatchObject(profile);
  });

  it('finds nobody by a company alone', async () => {
    expect((await ask('enrichPerson', { domain: company!.domain })).found).toBe(false);
  });

  it.each(['enrichCompany', 'findDomain', 'detectTech', 'findSocials', 'scrapeUrl', 'enrichPerson'] as const)(
    'invents nothing about the real world in %s',
    async (name) => {
      const answer = await ask(name, inputNaming(name, 'stripe.com'));
      expect(answer.found).toBe(false);
      expect(findService(name)!.output.safeParse(answer.output).error).toBeUndefined();
    },
  );
});
