import type { PersonRecord } from '../directory-record.js';
import type { AttributeTable, LookupEntry } from './attribute.js';

/** Identifiers; the values they stand for are separate attributes. */
export const PERSON_IDENTIFIERS = ['id', 'country_code'] as const satisfies ReadonlyArray<keyof PersonRecord>;
type PersonAttributeField = Exclude<keyof PersonRecord, (typeof PERSON_IDENTIFIERS)[number] | 'company'>;

const PLACES = { places: { type: 'place', label: 'lives in' } } as const;
const ROLES = { roles: { type: 'role', label: 'role', isNoun: true } } as const;

/** All attributes of a person, in the order of responses. */
export const PERSON = {
  full_name: {
    name: 'Name',
    kind: 'text',
    phrases: 'full name | name | names | person name | contact name',
    usual: { person: 1 },
    filters: { names: { type: 'name', label: 'name' } },
    search: {
      name: 'names',
      description: 'Whole names of people; case, accents and punctuation do not count',
    },
  },
  first_name: {
    name: 'First name',
    kind: 'text',
    phrases: 'first name | given name | firstname',
    isCertain: true,
  },
  last_name: {
    name: 'Last name',
    kind: 'text',
    phrases: 'last name | surname | family name | lastname',
    isCertain: true,
  },
  title: {
    name: 'Title',
    kind: 'text',
    isNullable: true,
    phrases: 'title | job title | position | role | current title | current position',
    usual: { person: 2 },
    heading: /\b(title|role|position)\b/,
    filters: ROLES,
    search: {
      name: 'roles',
      description: 'Job titles as people say them: "CTO", "VP of Sales", "software engineers"',
    },
  },
  seniority: {
    name: 'Seniority',
    kind: 'text',
    isNullable: true,
    named: 'seniority',
    phrases: 'seniority | seniority level | level',
    usual: { person: 3 },
    filters: ROLES,
    search: { name: 'seniorities', description: 'Levels, by name or id: "vp", "C-level"' },
  },
  department: {
    name: 'Department',
    kind: 'text',
    isNullable: true,
    named: 'department',
    phrases: 'department | function | job function',
    usual: { person: 4 },
    filters: ROLES,
    search: { name: 'departments', description: 'Departments, by name, usual word or id: "sales", "HR"' },
  },
  city: {
    name: 'City',
    kind: 'text',
    isNullable: true,
    phrases: 'city | location | person city | town',
    usual: { person: 7 },
    filters: PLACES,
    search: { name: 'cities', description: 'Cities where the people are' },
  },
  state: {
    name: 'State',
    kind: 'text',
    isNullable: true,
    phrases: 'state | region | province',
    filters: PLACES,
  },
  country: {
    name: 'Country',
    kind: 'text',
    isNullable: true,
    phrases: 'country | person country',
    usual: { person: 8 },
    filters: PLACES,
    search: { name: 'countries', description: 'Countries where the people are, by name or ISO 3166-1 code' },
  },
  linkedin_url: {
    name: 'LinkedIn',
    kind: 'linkedin_url',
    isNullable: true,
    phrases: `linkedin | linkedin url | linkedin profile | linkedin link | profile url | linkedin profile url
      | linkedin address | linkedins`,
    isCertain: true,
    usual: { person: 9 },
  },
  experiences: {
    name: 'Experience',
    kind: 'experiences',
    phrases:
      'experience | work experience | work history | career history | job history | past jobs | employment history',
    isCertain: true,
  },
  educations: {
    name: 'Education',
    kind: 'educations',
    phrases: 'education | educational background | schools | degree | education history',
  },
} as const satisfies AttributeTable<PersonRecord, PersonAttributeField>;

/** Values found by paid services, one person at a time. */
export const LOOKUP = {
  email: {
    name: 'Work email',
    kind: 'email',
    service: 'getEmail',
    phrases: `email | e-mail | work email | business email | email address | e-mail address | work email address
      | verified email | verified work email | corporate email | professional email | mail address | work e-mail
      | business email address | verified email address | contact email | mail`,
    isCertain: true,
  },
  phone: {
    name: 'Phone number',
    kind: 'phone',
    service: 'getPhoneNumber',
    phrases: `phone | phone number | telephone | telephone number | mobile | mobile number | mobile phone | direct dial
      | cell phone | cell | direct phone number | tel | mobile phone number | cellphone | phone no`,
    isCertain: true,
  },
} as const satisfies Readonly<Record<string, LookupEntry>>;
