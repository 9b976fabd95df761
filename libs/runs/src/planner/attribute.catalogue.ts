import type { ColumnKind } from '@quarry/dto';

/** Something that can be a column of a result. */
export interface Attribute {
  /** Key of the default column; also the name under which `recordValues` gives it. */
  readonly key: string;
  readonly name: string;
  readonly kind: ColumnKind;
  /** Words by which prompts and output contracts ask for it. */
  readonly phrases: readonly string[];
  /** True when the words can hardly mean anything but a wanted column. */
  readonly isCertain: boolean;
}

const attribute = (
  key: string,
  name: string,
  kind: ColumnKind,
  phrases: string[],
  isCertain = false,
): Attribute => ({
  key,
  name,
  kind,
  phrases,
  isCertain,
});

/** Attributes of a company. On a person's row they carry the prefix `company_`. */
export const COMPANY_ATTRIBUTES: readonly Attribute[] = [
  attribute(
    'name',
    'Name',
    'text',
    ['company name', 'name', 'organisation name', 'organization name', 'company'],
    false,
  ),
  attribute('domain', 'Domain', 'domain', ['domain', 'company domain', 'web domain', 'domain name'], true),
  attribute(
    'website',
    'Website',
    'url',
    ['website', 'web site', 'homepage', 'website url', 'site', 'company website', 'web address', 'url'],
    true,
  ),
  attribute(
    'linkedin_url',
    'LinkedIn',
    'linkedin_url',
    [
      'linkedin',
      'linkedin url',
      'linkedin profile',
      'linkedin page',
      'company linkedin',
      'linkedin link',
      'company linkedin url',
      'linkedin company page',
    ],
    true,
  ),
  attribute('industry', 'Industry', 'text', [
    'industry',
    'sector',
    'vertical',
    'line of business',
    'company industry',
  ]),
  attribute(
    'description',
    'Description',
    'text',
    [
      'description',
      'short description',
      'company description',
      'summary',
      'what they do',
      'one line description',
    ],
    true,
  ),
  attribute('city', 'City', 'text', [
    'city',
    'town',
    'location',
    'hq city',
    'company city',
    'headquarters',
    'hq',
    'headquarters location',
    'address',
    'hq location',
    'headquarters city',
  ]),
  attribute('state', 'State', 'text', ['state', 'region', 'province', 'company state']),
  attribute('country', 'Country', 'text', [
    'country',
    'hq country',
    'company country',
    'headquarters country',
  ]),
  attribute('headcount', 'Headcount', 'number', [
    'headcount',
    'employee count',
    'number of employees',
    'company size',
    'size',
    'employees',
    'staff count',
    'staff',
    'staff size',
    'team size',
    'number of staff',
    'company headcount',
    'employee number',
    'how many people work there',
    'how many employees',
  ]),
  attribute('founded_year', 'Founded', 'number', [
    'founding year',
    'year founded',
    'founded year',
    'founded',
    'founding date',
    'year of foundation',
    'foundation year',
    'age',
    'company age',
    'when they were founded',
    'establishment year',
  ]),
  attribute('funding_stage', 'Funding stage', 'text', [
    'funding stage',
    'funding round',
    'last funding round',
    'funding',
    'stage',
  ]),
  attribute('revenue_usd', 'Revenue (USD)', 'number', [
    'revenue',
    'annual revenue',
    'yearly revenue',
    'turnover',
    'sales revenue',
    'revenue estimate',
    'estimated revenue',
    'arr',
  ]),
  attribute('business_model', 'Business model', 'text', ['business model', 'b2b or b2c', 'business type']),
  attribute('ownership', 'Ownership', 'text', [
    'ownership',
    'ownership type',
    'company type',
    'public or private',
  ]),
  attribute(
    'technologies',
    'Technologies',
    'list',
    ['technologies', 'tech stack', 'technology stack', 'tools they use', 'technographics', 'stack'],
    true,
  ),
  attribute('keywords', 'Keywords', 'list', ['keywords', 'tags']),
  attribute(
    'is_hiring',
    'Hiring',
    'boolean',
    ['hiring status', 'whether they are hiring', 'is hiring', 'whether theyre hiring', 'if they are hiring'],
    true,
  ),
  attribute('hiring_departments', 'Hiring in', 'list', [
    'open positions',
    'open roles',
    'hiring departments',
    'job openings',
    'hiring in',
  ]),
  attribute(
    'phone',
    'Company phone',
    'phone',
    [
      'company phone',
      'company phone number',
      'switchboard',
      'main phone number',
      'company telephone',
      'office phone',
    ],
    true,
  ),
];

/** Attributes of a person. */
export const PERSON_ATTRIBUTES: readonly Attribute[] = [
  attribute('full_name', 'Name', 'text', ['full name', 'name', 'names', 'person name', 'contact name']),
  attribute('first_name', 'First name', 'text', ['first name', 'given name', 'firstname'], true),
  attribute('last_name', 'Last name', 'text', ['last name', 'surname', 'family name', 'lastname'], true),
  attribute('title', 'Title', 'text', [
    'title',
    'job title',
    'position',
    'role',
    'current title',
    'current position',
  ]),
  attribute('seniority', 'Seniority', 'text', ['seniority', 'seniority level', 'level']),
  attribute('department', 'Department', 'text', ['department', 'function', 'job function']),
  attribute('city', 'City', 'text', ['city', 'location', 'person city', 'town']),
  attribute('state', 'State', 'text', ['state', 'region', 'province']),
  attribute('country', 'Country', 'text', ['country', 'person country']),
  attribute(
    'linkedin_url',
    'LinkedIn',
    'linkedin_url',
    [
      'linkedin',
      'linkedin url',
      'linkedin profile',
      'linkedin link',
      'profile url',
      'linkedin profile url',
      'linkedin address',
      'linkedins',
    ],
    true,
  ),
  attribute(
    'experiences',
    'Experience',
    'experiences',
    [
      'experience',
      'work experience',
      'work history',
      'career history',
      'job history',
      'past jobs',
      'employment history',
    ],
    true,
  ),
  attribute(
    'educations',
    'Education',
    'educations',
    ['education', 'educational background', 'schools', 'degree', 'education history'],
    false,
  ),
];

/** Values that a paid service finds, one person at a time. */
export const SERVICE_ATTRIBUTES: ReadonlyArray<
  Attribute & { readonly service: 'getEmail' | 'getPhoneNumber' }
> = [
  {
    ...attribute(
      'email',
      'Work email',
      'email',
      [
        'email',
        'e-mail',
        'work email',
        'business email',
        'email address',
        'e-mail address',
        'work email address',
        'verified email',
        'verified work email',
        'corporate email',
        'professional email',
        'mail address',
        'work e-mail',
        'business email address',
        'verified email address',
        'contact email',
        'mail',
      ],
      true,
    ),
    service: 'getEmail',
  },
  {
    ...attribute(
      'phone',
      'Phone number',
      'phone',
      [
        'phone',
        'phone number',
        'telephone',
        'telephone number',
        'mobile',
        'mobile number',
        'mobile phone',
        'direct dial',
        'cell phone',
        'cell',
        'direct phone number',
        'tel',
        'mobile phone number',
        'cellphone',
        'phone no',
      ],
      true,
    ),
    service: 'getPhoneNumber',
  },
];
