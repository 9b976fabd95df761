import { COMPANY_ATTRIBUTES, type CompanyRecord } from '@quarry/directory';

/** Kinds of directories, as named on the command line. */
export const DIRECTORY_KINDS = ['companies', 'people'] as const;
export type DirectoryKind = (typeof DIRECTORY_KINDS)[number];

/** Target of a file's column, and the headings for it in common files, the most likely first. */
export interface TargetField {
  readonly key: string;
  /** Folded headings: lower case, words separated by one space. */
  readonly headings: readonly string[];
}

/** Field of a company in a file: an attribute of its record, or a text from which several are read. */
type CompanyField = keyof CompanyRecord | 'location' | 'size';

const field = (key: string, headings: string): TargetField => ({
  key,
  // The product's own label is a heading too: its exports use it.
  headings: [
    key.replaceAll('_', ' '),
    ...headings.split('|').map((heading) => heading.trim().replace(/\s+/g, ' ')),
  ],
});

/**
 * Headings of common files: People Data Labs' free companies, Crunchbase's open data map, OpenCorporates, Companies House,
 * and exports of sales tools. A field gets the column whose heading comes first in its list.
 */
const COMPANY_HEADINGS = {
  id: 'id | uuid | company number | company id | record id',
  name: `name | company name | organization name | organisation name | legal name | business name | company
    | organization | organisation | account name | display name`,
  domain: 'domain | domain name | website domain | primary domain | company domain | email domain',
  website:
    'website | homepage url | website url | company website | homepage | url | web | site | web address',
  linkedin_url:
    'linkedin url | linkedin | company linkedin url | linkedin company url | linkedin profile | linkedin page | linkedin link',
  industry: `industry | primary industry | sector | main industry | vertical | industry name | category | siccode sic text 1
    | sic text 1 | industry code descriptions | category list | industries | industry sector | business sector`,
  description:
    'short description | description | summary | about | company description | long description | overview',
  city: 'city | locality | town | hq city | headquarters city | head office city | location locality | reg address post town | post town | registered address locality | company city',
  state:
    'state | state code | region | province | hq state | headquarters state | head office state | location region | state province | company state | registered address region',
  country: `country | country code | hq country | headquarters country | head office country | location country | company country
    | registered address country | reg address country | jurisdiction code | jurisdiction | country of origin`,
  location:
    'location | headquarters | hq location | headquarters location | head office | head office location | hq | location name | registered address in full | address',
  headcount: `current employee estimate | employee count | employees | number of employees | headcount | num employees
    | employees count | total employee estimate | staff | staff count | no of employees | nr of employees`,
  size: 'size range | size | company size | employee range | employees range | num employees enum | number of employees range',
  founded_year: `year founded | founded year | grundungsjahr | founded | founding year | founded on | year established | established
    | incorporation date | date founded | founded date | date of creation`,
  funding_stage: 'funding stage | last funding type | latest funding stage | last funding round | stage',
  funding_amount_usd:
    'total funding usd | funding total usd | total funding amount usd | total funding amount in usd | total funding',
  revenue_usd: 'revenue usd | annual revenue usd | annual revenue | revenue | estimated revenue',
  business_model: 'business model',
  ownership: 'ownership | ownership type | company type',
  technologies: 'technologies | tech stack | technology stack | technographics',
  keywords: 'keywords | tags | specialties | category groups | category groups list | topics',
  is_hiring: 'is hiring | hiring',
  hiring_departments: 'hiring departments | open departments',
  phone: 'phone | phone number | company phone | telephone | switchboard',
} as const satisfies Partial<Record<CompanyField, string>>;

/**
 * Fields in the order in which headings are assigned; an attribute that is not listed above uses the words of its filter.
 */
export const COMPANY_FIELDS: readonly TargetField[] = [
  ...Object.entries(COMPANY_HEADINGS).map(([key, headings]) => field(key, headings)),
  ...COMPANY_ATTRIBUTES.filter(({ key }) => !(key in COMPANY_HEADINGS)).map(({ key, phrases }) =>
    field(key, phrases.join('|')),
  ),
];

/** Fields of a person; those of the company follow, with "company" or "job company" before their headings. */
const PERSONAL_FIELDS: readonly TargetField[] = [
  field('id', 'id | uuid | person id | contact id | record id'),
  field('full_name', 'full name | name | person name | contact name | contact'),
  field('first_name', 'first name | firstname | given name | forename'),
  field('last_name', 'last name | lastname | surname | family name'),
  field('title', 'title | job title | position | role | current title | headline'),
  field('seniority', 'seniority | seniority level | job title levels | level | management level'),
  field('department', 'department | job title role | function | job function | departments'),
  field(
    'linkedin_url',
    'linkedin url | linkedin | linkedin profile | person linkedin url | profile url | url',
  ),
  field('city', 'city | locality | location locality | town | person city'),
  field('state', 'state | region | location region | province | person state'),
  field('country', 'country | location country | country code | person country'),
  field('location', 'location | location name'),
  field('experiences', 'experiences'),
  field('educations', 'educations'),
];

/** Words that mean the company in a line about a person. */
const EMPLOYER_HEADINGS: Readonly<Record<string, readonly string[]>> = {
  name: [
    'company',
    'company name',
    'job company name',
    'organization',
    'organization name',
    'employer',
    'account name',
  ],
  domain: ['company domain', 'company domain name', 'domain', 'email domain'],
  website: ['company website', 'website', 'job company website', 'company url'],
  linkedin_url: ['company linkedin url', 'company linkedin', 'job company linkedin url'],
  industry: ['company industry', 'job company industry', 'industry'],
  headcount: ['company headcount', 'employees', 'number of employees', 'job company employee count'],
  size: ['company size', 'job company size', 'size range'],
};

export const PERSON_FIELDS: readonly TargetField[] = [
  ...PERSONAL_FIELDS,
  ...COMPANY_FIELDS.map(({ key, headings }) => ({
    key: `company_${key}`,
    headings: [
      `company ${key.replaceAll('_', ' ')}`,
      ...(EMPLOYER_HEADINGS[key] ?? []),
      ...headings.flatMap((heading) => [`company ${heading}`, `job company ${heading}`]),
    ],
  })),
];

/** @returns the fields that a file of this kind may contain */
export function fieldsOf(kind: DirectoryKind): readonly TargetField[] {
  return kind === 'companies' ? COMPANY_FIELDS : PERSON_FIELDS;
}
