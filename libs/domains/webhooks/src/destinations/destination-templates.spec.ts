import { describe, expect, it } from '@jest/globals';
import { DESTINATION_KINDS, type ColumnJson, type DestinationKind } from '@quarry/dto';
import { BatchWriter, type VendorReply } from './batch-writer.js';
import type { DestinationSettings, OutgoingRow, TemplateRequest } from './destination-template.js';
import { TEMPLATES } from './destination-templates.js';
import { cluesOf, guessMapping, mapRow } from './row-mapping.js';

const COLUMNS = [
  ['full_name', 'text'],
  ['first_name', 'text'],
  ['work_email', 'email'],
  ['title', 'text'],
  ['company_name', 'text'],
  ['company_domain', 'domain'],
  ['phone', 'phone'],
  ['linkedin_url', 'linkedin_url'],
].map(([key, kind]) => ({ key, name: key, kind, qualification: {} }) as ColumnJson);
const ROW = {
  id: 'row_1',
  at: 0,
  isFromSandbox: false,
  values: {
    full_name: 'Ann Lee',
    first_name: 'Ann',
    work_email: ' Ann@Acme-Widgets.com',
    title: null,
    company_name: 'Acme',
    company_domain: 'https://www.acme-widgets.com/about',
    phone: ['+1 555 0100', '+1 555 0101'],
    linkedin_url: 'https://www.linkedin.com/in/ann',
  },
};
const CAMPAIGN = { campaign_id: 'c 1' };

function outgoingFor(kind: DestinationKind, vendorId: string | null = null): OutgoingRow {
  const { key, fields } = mapRow(TEMPLATES[kind], guessMapping(TEMPLATES[kind], COLUMNS), ROW);
  return { rowId: ROW.id, key: key!, vendorId, fields };
}

describe('the default mapping of a destination', () => {
  const guess = (kind: DestinationKind, ...keys: string[]) =>
    guessMapping(
      TEMPLATES[kind],
      keys.map((key) => ({ key, name: key, kind: 'text', qualification: {} }) as ColumnJson),
    );

  it.each<[DestinationKind, Record<string, string>]>([
    [
      'hubspot_contacts',
      { email: 'E-Mail', firstname: 'First Name', lastname: 'Last name', company: 'Company' },
    ],
    [
      'hubspot_contacts',
      { email: 'E-Mail-Adresse', firstname: 'Vorname', lastname: 'Nachname', company: 'Firma' },
    ],
    [
      'hubspot_contacts',
      { email: 'Adresse e-mail', firstname: 'Prénom', lastname: 'Nom', company: 'Société' },
    ],
    [
      'hubspot_contacts',
      {
        email: 'Person - Email - Work',
        firstname: 'Person - First name',
        lastname: 'Person - Last name',
        company: 'Person - Organization',
        phone: 'Person - Phone - Work',
      },
    ],
    ['hubspot_contacts', { email: 'Email', company: 'Account Name', phone: 'Phone', website: 'Website' }],
    ['hubspot_companies', { domain: 'Company Domain Name', name: 'Company name', phone: 'Phone Number' }],
    ['hubspot_companies', { domain: 'Webseite', name: 'Unternehmen', city: 'Stadt', country: 'Land' }],
  ])('recognises common column headings: %s %j', (kind, mapping) => {
    expect(guess(kind, ...Object.values(mapping))).toEqual(mapping);
  });

  it('prefers the key of a column to the name of another one', () => {
    const columns = [
      { key: 'a', name: 'Email', kind: 'text', qualification: {} },
      { key: 'email', name: 'Old', kind: 'text', qualification: {} },
    ] as ColumnJson[];
    expect(guessMapping(TEMPLATES.hubspot_contacts, columns)).toEqual({ email: 'email' });
  });

  it('takes no address of somebody else as that of the person', () => {
    const columns = [{ key: 'owner', name: 'Owner email', kind: 'email', qualification: {} }] as ColumnJson[];
    expect(guessMapping(TEMPLATES.hubspot_contacts, columns)).toEqual({});
  });
});

describe('an outgoing row', () => {
  it.each<[DestinationKind, TemplateRequest]>([
    [
      'webhook',
      { method: 'POST', path: 'https://a.example', body: { rows: [{ id: 'row_1', values: ROW.values }] } },
    ],
    [
      'hubspot_contacts',
      {
        method: 'POST',
        path: '/crm/v3/objects/contacts/batch/upsert',
        body: {
          inputs: [
            {
              idProperty: 'email',
              id: 'ann@acme-widgets.com',
              properties: {
                email: 'ann@acme-widgets.com',
                firstname: 'Ann',
                company: 'Acme',
                phone: '+1 555 0100, +1 555 0101',
                website: 'https://www.acme-widgets.com/about',
              },
            },
          ],
        },
      },
    ],
    [
      'hubspot_companies',
      {
        method: 'POST',
        path: '/crm/v3/objects/companies/batch/create',
        body: {
          inputs: [
            { properties: { domain: 'acme-widgets.com', name: 'Acme', phone: '+1 555 0100, +1 555 0101' } },
          ],
        },
      },
    ],
    [
      'pipedrive_persons',
      {
        method: 'POST',
        path: '/api/v2/persons',
        body: {
          name: 'Ann Lee',
          emails: [{ value: 'ann@acme-widgets.com', primary: true, label: 'work' }],
          phones: [{ value: '+1 555 0100, +1 555 0101', primary: true, label: 'work' }],
        },
      },
    ],
    [
      'instantly_leads',
      {
        method: 'POST',
        path: '/api/v2/leads',
        body: {
          campaign: 'c 1',
          email: 'ann@acme-widgets.com',
          first_name: 'Ann',
          company_name: 'Acme',
          phone: '+1 555 0100, +1 555 0101',
          website: 'https://www.acme-widgets.com/about',
          skip_if_in_campaign: true,
        },
      },
    ],
    [
      'smartlead_leads',
      {
        method: 'POST',
        path: '/api/v1/campaigns/c%201/leads',
        body: {
          lead_list: [
            {
              email: 'ann@acme-widgets.com',
              first_name: 'Ann',
              company_name: 'Acme',
              phone_number: '+1 555 0100, +1 555 0101',
              website: 'https://www.acme-widgets.com/about',
              linkedin_profile: 'https://www.linkedin.com/in/ann',
            },
          ],
          settings: { ignore_global_block_list: false, ignore_unsubscribe_list: false },
        },
      },
    ],
    [
      'lemlist_leads',
      {
        method: 'POST',
        path: '/api/campaigns/c%201/leads/',
        body: {
          email: 'ann@acme-widgets.com',
          firstName: 'Ann',
          companyName: 'Acme',
          companyDomain: 'https://www.acme-widgets.com/about',
          phone: '+1 555 0100, +1 555 0101',
          linkedinUrl: 'https://www.linkedin.com/in/ann',
        },
      },
    ],
  ])('has the format of the vendor: %s', (kind, request) => {
    const settings = kind === 'webhook' ? { url: 'https://a.example' } : CAMPAIGN;
    expect(TEMPLATES[kind].create([outgoingFor(kind)], settings)).toEqual(request);
  });

  it("puts a field unknown to the vendor among the vendor's custom fields", () => {
    const row = { ...outgoingFor('instantly_leads'), fields: { email: 'a@b.co', constructor: '0.9' } };
    const bodyOf = (kind: DestinationKind) => JSON.stringify(TEMPLATES[kind].create([row], CAMPAIGN).body);
    expect(bodyOf('instantly_leads')).toContain('"custom_variables":{"constructor":"0.9"}');
    expect(bodyOf('smartlead_leads')).toContain('"custom_fields":{"constructor":"0.9"}');
    expect(bodyOf('pipedrive_persons')).toContain('"custom_fields":{"constructor":"0.9"}');
  });

  it('keeps name and other addresses of an existing Pipedrive person', () => {
    const row = { ...outgoingFor('pipedrive_persons', '7'), fields: { email: 'a@b.co', phone: '1' } };
    expect(TEMPLATES.pipedrive_persons.update!([row], {})).toEqual({
      method: 'PATCH',
      path: '/api/v2/persons/7',
      body: { phones: [{ value: '1', primary: true, label: 'work' }] },
    });
  });

  it('carries the secret where the vendor expects it', () => {
    expect(TEMPLATES.hubspot_contacts.auth('k')).toEqual({ headers: { authorization: 'Bearer k' } });
    expect(TEMPLATES.lemlist_leads.auth('k')).toEqual({ headers: { authorization: 'Basic Oms=' } });
    expect(TEMPLATES.smartlead_leads.auth('k')).toEqual({ query: { api_key: 'k' } });
    expect(TEMPLATES.pipedrive_persons.auth('k')).toEqual({ headers: { 'x-api-token': 'k' } });
    expect(TEMPLATES.webhook.auth('k')).toEqual({});
  });

  it.each([null, '', 'ann', 'a@b', 'a b@c.de', 7, ['a@b.co']])(
    'has no key without a mail address: %j',
    (value) => {
      const row = { ...ROW, values: { ...ROW.values, work_email: value } };
      const mapped = mapRow(TEMPLATES.hubspot_contacts, { email: 'work_email' }, row);
      expect(mapped.key).toBe(Array.isArray(value) ? 'a@b.co' : null);
    },
  );

  it('has another hash if its sent values differ, and only then', () => {
    const hashOf = (values: object) =>
      mapRow(
        TEMPLATES.hubspot_contacts,
        { email: 'work_email', firstname: 'first_name' },
        { ...ROW, values: { ...ROW.values, ...values } },
      ).hash;
    expect(hashOf({ title: 'CEO', work_email: 'ann@acme-widgets.com' })).toBe(hashOf({}));
    expect(hashOf({ first_name: 'Anna' })).not.toBe(hashOf({}));
  });

  it('is checked against exclusion lists by every domain, address and profile', () => {
    expect(cluesOf(COLUMNS, ROW)).toEqual({
      domains: [' Ann@Acme-Widgets.com', 'https://www.acme-widgets.com/about'],
      profiles: ['https://www.linkedin.com/in/ann'],
    });
  });
});

describe('a batch of outgoing rows', () => {
  const rows = (...keys: string[]): OutgoingRow[] =>
    keys.map((key) => ({ rowId: `row_${key}`, key, vendorId: null, fields: { email: key, domain: key } }));

  /** Writes rows to a vendor with the responses of `answer`. @returns the received requests, and the results of the rows */
  async function written(
    kind: DestinationKind,
    sent: OutgoingRow[],
    answer: (request: TemplateRequest, rows: readonly OutgoingRow[]) => Partial<VendorReply>,
    settings: DestinationSettings = { ...CAMPAIGN, overwrite: true },
  ) {
    const requests: string[] = [];
    const bodies: unknown[] = [];
    const writer = new BatchWriter(TEMPLATES[kind], settings, (request, of) => {
      bodies.push(request.body);
      requests.push(`${request.method} ${request.path.split('?')[0]} ${of.map(({ key }) => key).join()}`);
      const { status = 200, text = '', body } = answer(request, of);
      return Promise.resolve({ isOk: status < 300, status, text, body });
    });
    await writer.writeBatch(sent);
    return { requests, bodies, results: Object.fromEntries(writer.results) };
  }

  it('that is refused is halved until the refused row is found', async () => {
    const { requests, results } = await written('hubspot_contacts', rows('a', 'b', 'c', 'd'), (_, of) => ({
      status: of.some(({ key }) => key === 'c') ? 400 : 200,
    }));
    expect(requests.map((each) => each.split(' ')[2])).toEqual(['a,b,c,d', 'a,b', 'c,d', 'c', 'd']);
    expect(results).toMatchObject({ a: { vendorId: null }, d: {} });
    expect(results['c']).toEqual({ refused: 'The destination rejected the row (400).' });
  });

  it('that is partly accepted names the refused rows', async () => {
    const body = {
      results: [{ id: '1', properties: { email: 'A' } }],
      errors: [{ context: { ids: ['b'] } }],
    };
    const { results } = await written('hubspot_contacts', rows('a', 'b'), () => ({ status: 207, body }));
    expect(results).toEqual({
      a: { vendorId: '1' },
      b: { refused: 'The destination rejected the row, and accepted others (207).' },
    });
  });

  it('of companies is looked up first: existing ones are updated, the others created', async () => {
    const { requests, results } = await written('hubspot_companies', rows('a.com', 'b.com'), ({ path }) => ({
      body: path.endsWith('/search')
        ? { results: [{ id: 7, properties: { domain: 'b.com' } }] }
        : { results: [{ id: 8, properties: { domain: 'a.com' } }] },
    }));
    expect(requests).toEqual([
      'POST /crm/v3/objects/companies/search a.com,b.com',
      'POST /crm/v3/objects/companies/batch/update b.com',
      'POST /crm/v3/objects/companies/batch/create a.com',
    ]);
    expect(results).toEqual({ 'a.com': { vendorId: '8' }, 'b.com': { vendorId: '7' } });
  });

  it('of contacts keeps existing values, and sends no row that has nothing to fill', async () => {
    const sent = rows('a@b.co', 'c@d.co', 'e@f.co').map((row) => ({
      ...row,
      fields: { email: row.key, jobtitle: 'CEO', phone: '1' },
    }));
    const there = [
      { id: '1', properties: { email: 'A@b.co', jobtitle: 'Founder', phone: '' } },
      { id: '2', properties: { email: 'c@d.co', jobtitle: 'CTO', phone: '2' } },
    ];
    const { requests, bodies, results } = await written(
      'hubspot_contacts',
      sent,
      ({ path }) => ({
        body: { results: path.endsWith('/read') ? there : [{ id: '1', properties: { email: 'a@b.co' } }] },
      }),
      {},
    );
    expect(requests).toEqual([
      'POST /crm/v3/objects/contacts/batch/read a@b.co,c@d.co,e@f.co',
      'POST /crm/v3/objects/contacts/batch/upsert a@b.co,e@f.co',
    ]);
    expect(bodies).toMatchObject([
      { idProperty: 'email', properties: ['email', 'jobtitle', 'phone'], inputs: [{ id: 'a@b.co' }, {}, {}] },
      {
        inputs: [
          { properties: { email: 'a@b.co', phone: '1' } },
          { properties: { email: 'e@f.co', jobtitle: 'CEO', phone: '1' } },
        ],
      },
    ]);
    expect(results).toMatchObject({ 'a@b.co': { vendorId: '1' }, 'c@d.co': { vendorId: null } });
  });

  it('of companies reads existing ones, and creates the others completely', async () => {
    const sent = rows('a.com', 'b.com').map((row) => ({
      ...row,
      fields: { domain: row.key, city: 'Paris' },
    }));
    const { requests, results } = await written(
      'hubspot_companies',
      sent,
      ({ path }) => ({
        body: path.endsWith('/create')
          ? { results: [{ id: 8, properties: { domain: 'a.com' } }] }
          : { results: [{ id: 7, properties: { domain: 'b.com', city: 'Lyon' } }] },
      }),
      {},
    );
    expect(requests).toEqual([
      'POST /crm/v3/objects/companies/search a.com,b.com',
      'POST /crm/v3/objects/companies/batch/read b.com',
      'POST /crm/v3/objects/companies/batch/create a.com',
    ]);
    expect(results).toEqual({ 'a.com': { vendorId: '8' }, 'b.com': { vendorId: '7' } });
  });

  it('of one in Pipedrive fills empty fields, and creates a deleted person again', async () => {
    const [person] = rows('a@b.co');
    const sent = [
      { ...person!, vendorId: '7', fields: { email: 'a@b.co', name: 'Ann', phone: '1', c1: 'x', c2: 'y' } },
    ];
    const data = { id: 7, name: 'Ann Lee', phones: [], custom_fields: { c1: 'kept', c2: null } };
    const filled = await written('pipedrive_persons', sent, () => ({ body: { data } }), {});
    expect(filled.requests).toEqual(['GET /api/v2/persons/7 a@b.co', 'PATCH /api/v2/persons/7 a@b.co']);
    expect(filled.bodies[1]).toEqual({
      phones: [{ value: '1', primary: true, label: 'work' }],
      custom_fields: { c2: 'y' },
    });
    const removed = await written(
      'pipedrive_persons',
      sent,
      ({ method }) => (method === 'GET' ? { status: 404 } : { body: { data: { id: 8 } } }),
      {},
    );
    expect(removed.requests).toEqual(['GET /api/v2/persons/7 a@b.co', 'POST /api/v2/persons a@b.co']);
    expect(removed.results).toEqual({ 'a@b.co': { vendorId: '8' } });
  });

  it('is not written if existing values cannot be read', async () => {
    for (const answer of [{ status: 400 }, { body: 'a page' }])
      await expect(written('hubspot_contacts', rows('a'), () => answer, {})).rejects.toMatchObject({
        isFinal: true,
      });
    const { requests, results } = await written(
      'hubspot_companies',
      rows('a.com').map((row) => ({ ...row, vendorId: '7' })),
      () => ({ status: 207, body: { results: [], errors: [{ context: { ids: ['7'] } }] } }),
      {},
    );
    expect(requests).toEqual(['POST /crm/v3/objects/companies/batch/read a.com']);
    expect(results['a.com']).toEqual({ refused: 'The destination returned nothing about the row.' });
  });

  it('is not created if it cannot be looked up', async () => {
    await expect(written('pipedrive_persons', rows('a'), () => ({ status: 400 }))).rejects.toMatchObject({
      isFinal: true,
    });
  });

  it('of one deleted at the vendor creates it again', async () => {
    const [lead] = rows('a');
    const { requests, results } = await written(
      'instantly_leads',
      [{ ...lead!, vendorId: '7' }],
      ({ method }) => (method === 'PATCH' ? { status: 404 } : { body: { id: '8' } }),
    );
    expect(requests).toEqual(['PATCH /api/v2/leads/7 a', 'POST /api/v2/leads a']);
    expect(results).toEqual({ a: { vendorId: '8' } });
  });

  it('of a lead in lemlist is updated by the id that lemlist gave it', async () => {
    const [lead] = rows('a');
    const made = await written('lemlist_leads', [lead!], () => ({ body: { _id: '7' } }));
    expect(made.results).toEqual({ a: { vendorId: '7' } });
    const { requests } = await written('lemlist_leads', [{ ...lead!, vendorId: '7' }], () => ({}));
    expect(requests).toEqual(['PATCH /api/campaigns/c%201/leads/7 a']);
  });

  it('of a person in Pipedrive is looked up by the address before it is created', async () => {
    const found = { data: { items: [{ item: { id: 7 } }] } };
    const answers = [{ data: { items: [] } }, found].map(async (search) => {
      const { requests, results } = await written('pipedrive_persons', rows('a@b.co'), ({ method }) => ({
        body: method === 'GET' ? search : { data: { id: method === 'POST' ? 8 : 7 } },
      }));
      return [...requests, results['a@b.co']];
    });
    expect(await Promise.all(answers)).toEqual([
      ['GET /api/v2/persons/search a@b.co', 'POST /api/v2/persons a@b.co', { vendorId: '8' }],
      ['GET /api/v2/persons/search a@b.co', 'PATCH /api/v2/persons/7 a@b.co', { vendorId: '7' }],
    ]);
  });

  it('of a lead already in the campaign counts as sent', async () => {
    const there = await written('lemlist_leads', rows('a'), () => ({
      status: 400,
      text: 'Lead already in the campaign',
    }));
    expect(there.results).toEqual({ a: { vendorId: null } });
    const other = await written('lemlist_leads', rows('a'), () => ({ status: 400, text: 'Bad email' }));
    expect(other.results).toEqual({ a: { refused: 'The destination rejected the row (400).' } });
  });

  it('for a missing campaign ends the push', async () => {
    await expect(written('smartlead_leads', rows('a', 'b'), () => ({ status: 404 }))).rejects.toMatchObject({
      reason: 'The address, the list or the campaign does not exist (404).',
      isFinal: true,
    });
  });

  it.each(DESTINATION_KINDS)('ignores a response of unexpected shape: %s', (kind) => {
    for (const answer of [undefined, null, 3, 'x', [], { results: 3, errors: [null], data: [] }]) {
      const [row] = rows('a');
      const { idsIn, existing } = TEMPLATES[kind];
      expect(idsIn?.(answer, [row!]) ?? new Map()).toEqual(new Map());
      expect(existing?.valuesIn(answer, [row!]) ?? null).toBeNull();
    }
  });
});
