import type { Row, Service, Table } from '../api/resources';
import { formatField } from '../ui/format';

export interface InputProperty {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
}

/** The inputs of a service by name, as its schema describes them. */
export function inputProperties(service: Service): Array<readonly [string, InputProperty]> {
  return Object.entries((service.input_schema.properties ?? {}) as Record<string, InputProperty>);
}

/** Ignores accents, so that “prénom” and “prenom” are the same, and what Pipedrive writes before each heading. */
const fold = (text: string) =>
  text
    .replace(/^(person|organization|organisation) - /i, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');

const SITES = ['website', 'companywebsite', 'websiteurl', 'webseite', 'internetseite'];
/** Other common headings of an input: of German and French files, and of the exports of CRMs and sales tools. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  company: [
    'companyname',
    'organisation',
    'organization',
    'accountname',
    'associatedcompany',
    'organizationname',
    'employer',
    'firma',
    'unternehmen',
    'entreprise',
    'societe',
  ],
  name: ['companyname', 'fullname', 'firma', 'unternehmen', 'entreprise', 'societe'],
  domain: ['companydomain', 'companydomainname', 'domainname', ...SITES],
  url: [...SITES, 'homepage'],
  email: ['workemail', 'emailwork', 'emailaddress', 'emailadresse', 'mailadresse', 'courriel'],
  phone: [
    'phonenumber',
    'phonework',
    'workdirectphone',
    'directphone',
    'direct',
    'mobilephone',
    'mobile',
    'corporatephone',
    'telephone',
    'telefon',
    'telefonnummer',
  ],
  linkedin_url: [
    'linkedin',
    'linkedinprofile',
    'linkedinprofileurl',
    'personlinkedinurl',
    'linkedinurlpublic',
  ],
  first_name: ['firstname', 'givenname', 'vorname', 'prenom'],
  last_name: ['lastname', 'surname', 'familyname', 'nachname', 'nom'],
};
/** Headings of a company, which are not those of a person in the same table. */
const OF_COMPANY: Readonly<Record<string, readonly string[]>> = {
  name: ['company', ...ALSO.company!],
  linkedin_url: ['companylinkedinurl', 'companylinkedin', 'linkedincompanypage'],
};
/** Headings of values that belong to neither the company nor the person of a row. */
const OF_OTHERS = /(^|[^a-z])(owner|assistant|parent|manager|supervisor)/i;
const FULL_NAME = /^(fullname|name|contact|contactname|person|personname|ansprechpartner)$/;
const KINDS: Readonly<Record<string, string>> = {
  domain: 'domain',
  url: 'url',
  email: 'email',
  phone: 'phone',
  linkedin_url: 'linkedin_url',
};

/** @returns for each input of the service the most likely column; inputs without one are left out */
export function guessInputs(service: Service, { columns }: Table): Record<string, string> {
  const guesses: Record<string, string> = {};
  const inputs = new Map(inputProperties(service));
  // A name without a company is that of the company. In a table of people, names and profiles are theirs.
  const isOfCompany = inputs.has('name') && !inputs.has('company');
  const isOfPeople = columns.some(({ key, name }) => OF_A_PERSON.test(key) || OF_A_PERSON.test(name));
  for (const input of inputs.keys()) {
    const isOther = isOfCompany && isOfPeople && (input === 'name' || input === 'linkedin_url');
    const own = isOther ? [] : [fold(input), ...(ALSO[input] ?? [])];
    const words = isOfCompany ? [...own, ...(OF_COMPANY[input] ?? [])] : own;
    const byName = words.flatMap((word) =>
      columns.filter(({ key, name }) => fold(key) === word || fold(name) === word),
    );
    const others = isOfCompany ? [] : (OF_COMPANY[input] ?? []);
    const ofKind = columns.find(
      ({ kind, name }) => kind === KINDS[input] && !OF_OTHERS.test(name) && !others.includes(fold(name)),
    );
    const column = byName[0] ?? (isOther ? undefined : ofKind);
    if (column) guesses[input] = column.key;
  }
  const names = inputProperties(service).flatMap(([name]) =>
    /^(first|last)_name$/.test(name) ? [name] : [],
  );
  const full = columns.find(({ key, name }) => FULL_NAME.test(fold(key)) || FULL_NAME.test(fold(name)));
  // A single column for both is read as the full name.
  if (full && names.length === 2 && names.every((input) => !guesses[input]))
    for (const input of names) guesses[input] = full.key;
  return guesses;
}

const OF_A_PERSON =
  /(first|last|full|given|family|contact|person|sur|vor|nach)[ _-]?name|pr[ée]nom|\b(contact|person|ansprechpartner)\b|^(job[ _-]?)?title$|seniority/i;

/**
 * Returns whether a table is about people: it has a column about a person, or LinkedIn addresses that are not those of companies.
 * @param first the first row; while it is unknown, any LinkedIn address may be that of a person
 */
export function leadsToPeople({ columns }: Table, first: Row | undefined): boolean {
  return columns.some(({ key, name, kind }) => {
    if (OF_A_PERSON.test(key) || OF_A_PERSON.test(name)) return true;
    if (kind !== 'linkedin_url') return false;
    const address = first?.values[key];
    return typeof address !== 'string' || !/linkedin\.com\/(company|school|showcase)\//i.test(address);
  });
}

interface OutputProperty {
  readonly items?: { readonly properties?: object };
}

const TECHNICAL = new Set(['found', 'ok', 'provider', 'retrieved_at']);

/**
 * @returns paths of the fields of a service's answer that a column can show, the most likely one first. Fields that repeat an
 * input are left out, and of a list of entries a cell shows one field of each
 */
export function outputFields(service: Service): string[] {
  const given = new Set(inputProperties(service).map(([name]) => name));
  const properties = (service.output_schema.properties ?? {}) as Record<string, OutputProperty>;
  const fields = Object.entries(properties).flatMap(([name, { items }]) => {
    const parts = Object.keys(items?.properties ?? {}).map((part) => `${name}.${part}`);
    return name === 'items' ? parts : [name, ...parts];
  });
  return fields
    .filter((name) => !TECHNICAL.has(name))
    .toSorted((a, b) => Number(given.has(a)) - Number(given.has(b)));
}

/** @returns the path of a field as a label, such as `Phones number` */
export function fieldLabel(path: string): string {
  return formatField(path.replace(/^items\./, '').replaceAll('.', ' '));
}
