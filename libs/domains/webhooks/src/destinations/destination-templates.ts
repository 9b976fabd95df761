import type { DestinationKind } from '@quarry/dto';
import {
  idOf,
  isRecord,
  listAt,
  valueAt,
  type DestinationTemplate,
  type OutgoingRow,
  type TemplateRequest,
} from './destination-template.js';

// The formats are from the documentation of the vendors, named beside each. None was tested against the vendor.

/** Headings of the columns that usually hold a field, those of German and French files last. */
const PERSON = {
  first: ['first_name', 'person_first_name', 'given_name', 'vorname', 'prénom'],
  last: [
    'last_name',
    'person_last_name',
    'family_name',
    'surname',
    'nachname',
    'familienname',
    'nom',
    'nom de famille',
  ],
  full: ['full_name', 'name', 'person_name', 'ansprechpartner', 'nom complet'],
  email: [
    'work_email',
    'email',
    'email_address',
    'business_email',
    'person_email_work',
    'e-mail-adresse',
    'mailadresse',
    'adresse e-mail',
    'courriel',
  ],
  phone: [
    'phone',
    'phone_number',
    'person_phone_work',
    'work_direct_phone',
    'direct',
    'mobile',
    'mobile_phone',
    'telephone',
    'telefon',
    'telefonnummer',
    'numéro de téléphone',
  ],
  title: ['title', 'job_title', 'position', 'headline', 'jobtitel', 'funktion', 'poste', 'fonction'],
  company: [
    'company_name',
    'company',
    'organization',
    'organisation',
    'account_name',
    'associated_company',
    'organization_name',
    'person_organization',
    'firma',
    'firmenname',
    'unternehmen',
    'société',
    'entreprise',
  ],
  site: [
    'website',
    'company_website',
    'website_url',
    'organization_website',
    'company_domain',
    'company_domain_name',
    'domain',
    'webseite',
    'internetseite',
    'site web',
    'site internet',
  ],
  linkedin: ['linkedin_url', 'profile_url', 'linkedin', 'person_linkedin_url', 'linkedin_profile'],
} as const;
const bearer = (secret: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${secret}` },
});

const hubspotIds = (answer: unknown, field: string): Map<string, string> =>
  new Map(
    listAt(answer, 'results').flatMap((result) => {
      const [id, key] = [idOf(valueAt(result, 'id')), valueAt(result, 'properties', field)];
      return id !== null && typeof key === 'string' ? [[key.toLowerCase(), id] as const] : [];
    }),
  );
/**
 * Unknown names of properties are ignored. Source:
 * developers.hubspot.com/docs/api-reference/legacy/crm/objects/contacts/batch/get-contacts
 */
const readHubspot = (
  objects: string,
  rows: readonly OutgoingRow[],
  { idProperty, idOfRow }: { idProperty?: string; idOfRow: (row: OutgoingRow) => string | null },
): TemplateRequest => ({
  method: 'POST',
  path: `/crm/v3/objects/${objects}/batch/read`,
  body: {
    ...(idProperty === undefined ? {} : { idProperty }),
    properties: [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))],
    inputs: rows.map((row) => ({ id: idOfRow(row) })),
  },
});
const hubspotValues = (
  answer: unknown,
  rows: readonly OutgoingRow[],
  isOf: (row: OutgoingRow, record: unknown) => boolean,
): Map<string, Record<string, unknown>> | null => {
  const records = valueAt(answer, 'results');
  if (!Array.isArray(records)) return null;
  return new Map(
    records.flatMap((record: unknown) => {
      const row = rows.find((each) => isOf(each, record));
      const properties = valueAt(record, 'properties');
      return row && isRecord(properties) ? [[row.key, properties] as const] : [];
    }),
  );
};
// A partial success is 207. Source: developers.hubspot.com/docs/api-reference/error-handling.
const HUBSPOT = { baseUrl: 'https://api.hubapi.com', rowsMax: 100, needs: [], auth: bearer } as const;
const inputsOf = (rows: readonly OutgoingRow[], more: (row: OutgoingRow) => object = () => ({})) => ({
  inputs: rows.map((row) => ({ ...more(row), properties: row.fields })),
});

/** Splits fields into the vendor's standard fields and the customer's custom fields. */
function splitFields(
  { fields }: OutgoingRow,
  known: Readonly<Record<string, unknown>>,
): { own: Record<string, unknown>; custom: Record<string, unknown> } {
  const entries = Object.entries(fields);
  return {
    own: Object.fromEntries(entries.filter(([name]) => Object.hasOwn(known, name))),
    custom: Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(known, name))),
  };
}

const unless = <Value extends object>(name: string, value: Value): Record<string, Value> =>
  Object.keys(value).length > 0 ? { [name]: value } : {};

const PIPEDRIVE_FIELDS = {
  name: PERSON.full,
  first_name: PERSON.first,
  last_name: PERSON.last,
  email: PERSON.email,
  phone: PERSON.phone,
} as const;
/** Builds a person. An existing person keeps other email addresses and, if none is sent, the name; a new one needs a name. */
function pipedrivePerson(row: OutgoingRow, isNew: boolean): object {
  const { own, custom } = splitFields(row, PIPEDRIVE_FIELDS);
  const { name, first_name: first, last_name: last, email, phone } = own;
  const list = (value: unknown) => [{ value, primary: true, label: 'work' }];
  const called = name ?? [first, last].filter((part) => part !== undefined).join(' ');
  return {
    ...(called !== '' ? { name: called } : isNew ? { name: row.key } : {}),
    ...(isNew ? { emails: list(email) } : {}),
    ...(phone === undefined ? {} : { phones: list(phone) }),
    ...unless('custom_fields', custom),
  };
}

const INSTANTLY_FIELDS = {
  email: PERSON.email,
  first_name: PERSON.first,
  last_name: PERSON.last,
  company_name: PERSON.company,
  job_title: PERSON.title,
  phone: PERSON.phone,
  website: PERSON.site,
  personalization: ['personalization', 'icebreaker'],
} as const;
function instantlyLead(row: OutgoingRow): object {
  const { own, custom } = splitFields(row, INSTANTLY_FIELDS);
  return { ...own, ...unless('custom_variables', custom) };
}

const SMARTLEAD_FIELDS = {
  email: PERSON.email,
  first_name: PERSON.first,
  last_name: PERSON.last,
  company_name: PERSON.company,
  phone_number: PERSON.phone,
  website: PERSON.site,
  linkedin_profile: PERSON.linkedin,
  location: ['location', 'city'],
} as const;

const campaignOf = ({ campaign_id: campaign = '' }): string => encodeURIComponent(campaign);

export const TEMPLATES: Readonly<Record<DestinationKind, DestinationTemplate>> = {
  webhook: {
    keyedBy: 'row',
    keyField: null,
    baseUrl: null,
    needs: ['url'],
    rowsMax: 100,
    fields: {},
    auth: () => ({}),
    create: (rows, { url = '' }) => ({
      method: 'POST',
      path: url,
      body: { rows: rows.map(({ rowId, fields }) => ({ id: rowId, values: fields })) },
    }),
  },

  // Upserts by email address, 100 at once. Source:
  // developers.hubspot.com/docs/api-reference/legacy/crm/objects/contacts/batch/upsert-contacts.
  hubspot_contacts: {
    ...HUBSPOT,
    keyedBy: 'email',
    keyField: 'email',
    fields: {
      email: PERSON.email,
      firstname: PERSON.first,
      lastname: PERSON.last,
      jobtitle: PERSON.title,
      company: PERSON.company,
      phone: PERSON.phone,
      website: PERSON.site,
    },
    create: (rows) => ({
      method: 'POST',
      path: '/crm/v3/objects/contacts/batch/upsert',
      body: inputsOf(rows, ({ key }) => ({ idProperty: 'email', id: key })),
    }),
    existing: {
      read: (rows) => readHubspot('contacts', rows, { idProperty: 'email', idOfRow: ({ key }) => key }),
      valuesIn: (answer, rows) =>
        hubspotValues(answer, rows, ({ key }, record) => {
          const email = valueAt(record, 'properties', 'email');
          return typeof email === 'string' && email.toLowerCase() === key;
        }),
    },
    idsIn: (answer) => hubspotIds(answer, 'email'),
  },

  // Upsert requires a property with unique values, and domain is not one: companies are searched by it. Source:
  // developers.hubspot.com/docs/api-reference/legacy/crm/objects/companies/batch/upsert-companies, …/companies/guide,
  // …/search/guide.
  hubspot_companies: {
    ...HUBSPOT,
    keyedBy: 'domain',
    keyField: 'domain',
    fields: {
      domain: ['company_domain', 'company_domain_name', 'domain', ...PERSON.site],
      name: ['company_name', 'name', ...PERSON.company],
      city: ['city', 'headquarters_city', 'stadt', 'ort', 'ville'],
      country: ['country', 'headquarters_country', 'land', 'pays'],
      phone: ['phone', 'phone_number', 'company_phone'],
      description: ['description'],
    },
    find: (rows) => ({
      method: 'POST',
      path: '/crm/v3/objects/companies/search',
      body: {
        filterGroups: [
          { filters: [{ propertyName: 'domain', operator: 'IN', values: rows.map(({ key }) => key) }] },
        ],
        properties: ['domain'],
        limit: 100,
      },
    }),
    create: (rows) => ({
      method: 'POST',
      path: '/crm/v3/objects/companies/batch/create',
      body: inputsOf(rows),
    }),
    update: (rows) => ({
      method: 'POST',
      path: '/crm/v3/objects/companies/batch/update',
      body: inputsOf(rows, ({ vendorId }) => ({ id: vendorId })),
    }),
    existing: {
      read: (rows) => readHubspot('companies', rows, { idOfRow: ({ vendorId }) => vendorId }),
      valuesIn: (answer, rows) =>
        hubspotValues(answer, rows, ({ vendorId }, record) => idOf(valueAt(record, 'id')) === vendorId),
    },
    idsIn: (answer) => hubspotIds(answer, 'domain'),
  },

  // Source: developers.pipedrive.com/docs/api/v1/Persons (API v2). The search was checked against it; adding and updating
  // were not.
  pipedrive_persons: {
    keyedBy: 'email',
    keyField: 'email',
    baseUrl: 'https://api.pipedrive.com',
    needs: [],
    rowsMax: 1,
    fields: PIPEDRIVE_FIELDS,
    auth: (secret) => ({ headers: { 'x-api-token': secret } }),
    find: ([row]) => ({
      method: 'GET',
      path: `/api/v2/persons/search?${new URLSearchParams({ term: row!.key, fields: 'email', exact_match: 'true' }).toString()}`,
    }),
    create: ([row]) => ({ method: 'POST', path: '/api/v2/persons', body: pipedrivePerson(row!, true) }),
    update: ([row]) => ({
      method: 'PATCH',
      path: `/api/v2/persons/${encodeURIComponent(row!.vendorId ?? '')}`,
      body: pipedrivePerson(row!, false),
    }),
    existing: {
      read: ([row]) => ({
        method: 'GET',
        path: `/api/v2/persons/${encodeURIComponent(row!.vendorId ?? '')}`,
      }),
      valuesIn: (answer, [row]) => {
        const person = valueAt(answer, 'data');
        if (!isRecord(person)) return null;
        const { name, phones, custom_fields: custom } = person;
        const own = { name, first_name: name, last_name: name, phone: listAt(phones)[0] };
        return new Map([[row!.key, { ...(isRecord(custom) ? custom : {}), ...own }]]);
      },
    },
    idsIn: (answer, [row]) => {
      const id =
        idOf(valueAt(answer, 'data', 'id')) ?? idOf(valueAt(answer, 'data', 'items', 0, 'item', 'id'));
      return new Map(id === null ? [] : [[row!.key, id]]);
    },
  },

  // Source: developer.instantly.ai/api-reference/lead (API v2). Creating a lead was checked against it; updating one was not.
  instantly_leads: {
    keyedBy: 'email',
    keyField: 'email',
    baseUrl: 'https://api.instantly.ai',
    needs: ['campaign_id'],
    rowsMax: 1,
    fields: INSTANTLY_FIELDS,
    auth: bearer,
    create: ([row], { campaign_id: campaign }) => ({
      method: 'POST',
      path: '/api/v2/leads',
      body: { campaign, ...instantlyLead(row!), skip_if_in_campaign: true },
    }),
    update: ([row]) => ({
      method: 'PATCH',
      path: `/api/v2/leads/${encodeURIComponent(row!.vendorId ?? '')}`,
      body: instantlyLead(row!),
    }),
    idsIn: (answer, [row]) => {
      const id = idOf(valueAt(answer, 'id'));
      return new Map(id === null ? [] : [[row!.key, id]]);
    },
  },

  // Accepts 400 leads, and returns how many were skipped but not which.
  // Source: api.smartlead.ai/api-reference/leads/add-to-campaign.
  smartlead_leads: {
    keyedBy: 'email',
    keyField: 'email',
    baseUrl: 'https://server.smartlead.ai',
    needs: ['campaign_id'],
    rowsMax: 100,
    fields: SMARTLEAD_FIELDS,
    auth: (secret) => ({ query: { api_key: secret } }),
    create: (rows, settings) => ({
      method: 'POST',
      path: `/api/v1/campaigns/${campaignOf(settings)}/leads`,
      body: {
        lead_list: rows.map((row) => {
          const { own, custom } = splitFields(row, SMARTLEAD_FIELDS);
          return { ...own, ...unless('custom_fields', custom) };
        }),
        settings: { ignore_global_block_list: false, ignore_unsubscribe_list: false },
      },
    }),
  },

  // Source: developer.lemlist.com/api-reference/endpoints/leads/create-lead-in-campaign and …/update-lead.
  lemlist_leads: {
    keyedBy: 'email',
    keyField: 'email',
    baseUrl: 'https://api.lemlist.com',
    needs: ['campaign_id'],
    rowsMax: 1,
    fields: {
      email: PERSON.email,
      firstName: PERSON.first,
      lastName: PERSON.last,
      companyName: PERSON.company,
      companyDomain: ['company_domain', 'domain'],
      jobTitle: PERSON.title,
      phone: PERSON.phone,
      linkedinUrl: PERSON.linkedin,
      icebreaker: ['icebreaker'],
    },
    auth: (secret) => ({
      headers: { authorization: `Basic ${Buffer.from(`:${secret}`).toString('base64')}` },
    }),
    create: ([row], settings) => ({
      method: 'POST',
      path: `/api/campaigns/${campaignOf(settings)}/leads/`,
      body: row!.fields,
    }),
    update: ([row], settings) => ({
      method: 'PATCH',
      path: `/api/campaigns/${campaignOf(settings)}/leads/${encodeURIComponent(row!.vendorId ?? '')}`,
      body: row!.fields,
    }),
    idsIn: (answer, [row]) => {
      const id = idOf(valueAt(answer, '_id'));
      return new Map(id === null ? [] : [[row!.key, id]]);
    },
    isThere: (status, text) => (status === 400 || status === 409) && /already/i.test(text),
  },
};
