import { describe, expect, it } from '@jest/globals';
import { PolicedProvider, SANDBOX_POLICY, type DirectorySearchCall, type FoundPage } from '@quarry/engine';
import { SandboxDirectory } from '../directory/sandbox-directory.provider.js';
import { SandboxSearchProvider } from './sandbox-search.provider.js';

const directory = new SandboxDirectory();
const provider = new PolicedProvider<DirectorySearchCall, FoundPage>(
  new SandboxSearchProvider(directory),
  SANDBOX_POLICY,
);

let calls = 0;
const call = (more: Partial<DirectorySearchCall>): DirectorySearchCall => ({
  service: 'searchCompanies',
  input: {},
  searchId: `call-${++calls}`,
  signal: AbortSignal.timeout(10_000),
  wanted: { entity: 'company', query: {} },
  limit: 5,
  offset: 0,
  ...more,
});
/** Search with a control domain and another filter. */
const controlled = (domain: string): DirectorySearchCall =>
  call({
    input: { domains: [domain] },
    wanted: { entity: 'company', query: { industries: ['fintech'], domains: [domain] } },
  });

describe('searches in the sandbox', () => {
  it('return pages without gaps or repeats, and mark the last one', async () => {
    const query = { industries: ['insurtech'] };
    const { items, total } = await directory.searchCompanies(query, { limit: 5000 });
    const wanted = { entity: 'company', query } as const;
    const half = Math.ceil(total / 2);
    const first = await provider.answerCall(call({ wanted, limit: half }));
    const second = await provider.answerCall(call({ wanted, limit: half, offset: half }));
    expect([first.isLast, second.isLast]).toEqual([false, true]);
    expect([...first.output.items, ...second.output.items].map(({ domain }) => domain)).toEqual(
      items.map(({ domain }) => domain),
    );
  });

  it('show people with their company, and names instead of ids', async () => {
    const page = await provider.answerCall(call({ wanted: { entity: 'person', query: {} }, limit: 1 }));
    expect(page.output.items[0]).toMatchObject({
      full_name: expect.any(String),
      company_domain: expect.stringMatching(/\.example$/),
      seniority: expect.stringMatching(/^[A-Z]/),
    });
    expect(page.output.items[0]).not.toHaveProperty('id');
  });

  it.each([
    ['timeout', 'timeout'],
    ['capacity', 'capacity'],
    ['provider-error', 'provider_error'],
    ['provider-unavailable', 'provider_unavailable'],
    ['rejected', 'provider_rejected'],
  ])('fail for %s.sandbox.test with %s', async (domain, code) => {
    await expect(provider.answerCall(controlled(`${domain}.sandbox.test`))).rejects.toMatchObject({ code });
  });

  it('find nothing for "miss", and for "flaky" what the other filters match', async () => {
    expect((await provider.answerCall(controlled('miss.sandbox.test'))).output.items).toEqual([]);
    const { output } = await provider.answerCall(controlled('flaky.sandbox.test'));
    expect(output.items).toHaveLength(5);
    expect(output.items.every(({ industry }) => industry === 'Fintech')).toBe(true);
  });
});
