import type { CompanyRecord } from '../directory-record.js';
import type { AttributeTable } from './attribute.js';

/** Identifiers; the values they stand for are separate attributes. */
export const COMPANY_IDENTIFIERS = ['id', 'industry_id', 'country_code'] as const satisfies ReadonlyArray<
  keyof CompanyRecord
>;
type CompanyAttributeField = Exclude<keyof CompanyRecord, (typeof COMPANY_IDENTIFIERS)[number]>;

const PLACES = { places: { type: 'place', label: 'place' } } as const;

/** All attributes of a company, in the order of responses. In a person's row their keys start with `company_`. */
export const COMPANY = {
  name: {
    name: 'Name',
    kind: 'text',
    phrases: 'company name | name | organisation name | organization name | company',
    usual: { company: 1, person: 5 },
    heading: /\b(name|company|security|organisation|organization|account|firm)\b/,
    filters: { names: { type: 'name', label: 'company name' } },
    sort: {
      ascending: 'alphabetically | in alphabetical order | alphabetical | by name | a to z',
      descending: '',
      usual: 'ascending',
    },
    search: {
      name: 'names',
      description: 'Whole names of companies; case, accents and punctuation do not count',
      ofPeople: { name: 'company_names', description: 'Whole names of their companies' },
    },
  },
  domain: {
    name: 'Domain',
    kind: 'domain',
    isNullable: true,
    phrases: 'domain | company domain | web domain | domain name',
    isCertain: true,
    usual: { company: 2, person: 6 },
    heading: /domain|website|url/,
    filters: { domains: { type: 'domain', label: 'domain' } },
    search: {
      name: 'domains',
      description: 'Domains of companies',
      ofPeople: { name: 'company_domains', description: 'Domains of their companies' },
    },
  },
  website: {
    name: 'Website',
    kind: 'url',
    isNullable: true,
    phrases: 'website | web site | homepage | website url | site | company website | web address | url',
    isCertain: true,
  },
  linkedin_url: {
    name: 'LinkedIn',
    kind: 'linkedin_url',
    isNullable: true,
    phrases: `linkedin | linkedin url | linkedin profile | linkedin page | company linkedin | linkedin link
      | company linkedin url | linkedin company page`,
    isCertain: true,
    usual: { company: 8 },
  },
  industry: {
    name: 'Industry',
    kind: 'text',
    isNullable: true,
    phrases: 'industry | sector | vertical | line of business | company industry',
    usual: { company: 3 },
    heading: /sector|industry|vertical|category|segment|line of business/,
    filters: { industries: { type: 'industry', label: 'industry', field: 'industry_id', isNoun: true } },
    search: {
      name: 'industries',
      description: 'Lines of business, by name, usual word or id: "Fintech", "saas", "healthcare"',
    },
  },
  description: {
    name: 'Description',
    kind: 'text',
    isNullable: true,
    phrases:
      'description | short description | company description | summary | what they do | one line description',
    isCertain: true,
  },
  city: {
    name: 'City',
    kind: 'text',
    isNullable: true,
    phrases: `city | town | location | hq city | company city | headquarters | hq | headquarters location | address
      | hq location | headquarters city`,
    usual: { company: 4 },
    heading: /\b(city|town)\b/,
    filters: PLACES,
    search: { name: 'cities', description: 'Cities, by name', ofPeople: null },
  },
  state: {
    name: 'State',
    kind: 'text',
    isNullable: true,
    phrases: 'state | region | province | company state',
    heading: /\b(state|province|region)\b/,
    filters: PLACES,
  },
  country: {
    name: 'Country',
    kind: 'text',
    isNullable: true,
    phrases: 'country | hq country | company country | headquarters country',
    usual: { company: 5 },
    heading: /\b(country|nation)\b/,
    filters: PLACES,
    search: {
      name: 'countries',
      description: 'Countries, by name or ISO 3166-1 code: "Germany", "DE"',
      ofPeople: null,
    },
  },
  headcount: {
    name: 'Headcount',
    kind: 'number',
    isNullable: true,
    phrases: `headcount | employee count | number of employees | company size | size | employees | staff count | staff
      | staff size | team size | number of staff | company headcount | employee number | how many people work there
      | how many employees`,
    usual: { company: 6 },
    heading: /employee|headcount|head count|staff|workforce|company size|team size|^size$/,
    filters: { headcount: { type: 'range', label: 'headcount' } },
    sort: {
      ascending: 'smallest | the smallest | smallest first | fewest employees | fewest staff | tiniest',
      descending: `largest | biggest | the largest | the biggest | most employees | largest first | biggest first
        | by size | most staff`,
      usual: 'descending',
    },
    measure: {
      unit: 'count',
      noun: 'staff',
      before: `headcount | headcounts | head count | staff | team size | company size | employee count
        | number of employees | employees | size | employing | employ | employs | staff count | staff size | team
        | teams | workforce | a workforce | headcount range`,
      after: `employees | employee | staff | staff members | staffers | workers | headcount | fte | ftes | team members
        | full time employees | people strong | strong | employees worldwide | members of staff | heads | person team
        | people on staff | people employed | in headcount | employees in total | person company | person companies
        | person | man | head count`,
      doubtful: 'people | persons | professionals',
    },
    search: {
      name: 'headcount',
      least: 'Minimum number of employees',
      greatest: 'Maximum number of employees',
    },
  },
  founded_year: {
    name: 'Founded',
    kind: 'number',
    isNullable: true,
    phrases: `founding year | year founded | founded year | founded | founding date | year of foundation
      | foundation year | age | company age | when they were founded | establishment year`,
    usual: { company: 7 },
    heading: /found|establish|incorporat|inception|\byear\b/,
    filters: { founded: { type: 'range', label: 'founded', isExcepted: false } },
    sort: {
      ascending:
        'oldest | the oldest | oldest first | longest established | earliest founded | longest standing | oldest by year',
      descending: `newest | youngest | the newest | most recently founded | newest first | latest | most recent
        | youngest first | recently founded first | newest by year | latest by year`,
      usual: 'ascending',
    },
    measure: {
      unit: 'year',
      noun: 'year of foundation',
      before: `founded | established | started | launched | created | incorporated | formed | born | set up | opened
        | founding year | year founded | founded year | founding date | foundation year | in business | operating
        | started up | began`,
    },
    search: { name: 'founded', least: 'Earliest founding year', greatest: 'Latest founding year' },
  },
  funding_stage: {
    name: 'Funding stage',
    kind: 'text',
    isNullable: true,
    named: 'funding',
    phrases: 'funding stage | funding round | last funding round | funding | stage',
    filters: { funding_stages: { type: 'trait', label: 'funding stage' } },
  },
  funding_amount_usd: {
    name: 'Funding (USD)',
    kind: 'number',
    isNullable: true,
    phrases: `funding amount | amount of funding | total funding | total funding amount | funding total | amount raised
      | total raised | total amount raised | money raised | capital raised | how much they raised
      | how much they have raised`,
    heading: /funding amount|total funding|raised/,
    filters: { funding_amount_usd: { type: 'range', label: 'funding in US dollars', isExcepted: false } },
    sort: {
      ascending: 'least funded | lowest funding | least funding',
      descending: `most funded | most funded first | best funded | highest funding | most funding | highest funded | most money raised
        | biggest funding`,
      usual: 'descending',
    },
    measure: {
      unit: 'usd',
      noun: 'funding',
      before: `raised | have raised | has raised | that raised | that have raised | who raised | who have raised
        | which raised | having raised | raised a total | have raised a total | funded with`,
      after:
        'raised | in total funding | in venture funding | in venture capital | in capital | in capital raised',
      around: `funding | total funding | funding amount | venture funding | in funding | of funding | with funding
        | with total funding`,
    },
    search: {
      name: 'funding_amount_usd',
      least: 'Minimum funding raised, in US dollars',
      greatest: 'Maximum funding raised, in US dollars',
    },
  },
  revenue_usd: {
    name: 'Revenue (USD)',
    kind: 'number',
    isNullable: true,
    phrases: `revenue | annual revenue | yearly revenue | turnover | sales revenue | revenue estimate
      | estimated revenue | arr`,
    heading: /revenue|turnover|sales/,
    filters: { revenue_usd: { type: 'range', label: 'revenue in US dollars', isExcepted: false } },
    sort: {
      ascending: 'lowest revenue',
      descending: 'highest revenue | highest grossing | most revenue | top grossing | richest',
      usual: 'descending',
    },
    measure: {
      unit: 'usd',
      noun: 'revenue',
      around: `revenue | revenues | annual revenue | yearly revenue | arr | turnover | sales | annual sales
        | annual revenues | recurring revenue | in revenue | of revenue | in annual revenue | in sales | in turnover
        | in arr | a year in revenue | revenue per year | in yearly revenue | of annual revenue | in revenues`,
    },
    search: null,
  },
  business_model: {
    name: 'Business model',
    kind: 'text',
    isNullable: true,
    named: 'business_model',
    phrases: 'business model | b2b or b2c | business type',
    filters: { business_models: { type: 'trait', label: 'business model' } },
  },
  ownership: {
    name: 'Ownership',
    kind: 'text',
    isNullable: true,
    named: 'ownership',
    phrases: 'ownership | ownership type | company type | public or private',
    filters: { ownerships: { type: 'trait', label: 'ownership' } },
  },
  technologies: {
    name: 'Technologies',
    kind: 'list',
    named: 'technology',
    phrases: 'technologies | tech stack | technology stack | tools they use | technographics | stack',
    isCertain: true,
    filters: {
      technologies: { type: 'trait', label: 'uses' },
      all_technologies: { type: 'every_trait', label: 'uses' },
    },
  },
  keywords: { name: 'Keywords', kind: 'list', phrases: 'keywords | tags' },
  is_hiring: {
    name: 'Hiring',
    kind: 'boolean',
    isNullable: true,
    phrases:
      'hiring status | whether they are hiring | is hiring | whether theyre hiring | if they are hiring',
    isCertain: true,
    heading: /hiring/,
    filters: { is_hiring: { type: 'flag', label: 'hiring' } },
  },
  hiring_departments: {
    name: 'Hiring in',
    kind: 'list',
    named: 'department',
    phrases: 'open positions | open roles | hiring departments | job openings | hiring in',
    filters: { hiring_departments: { type: 'department', label: 'hiring in' } },
  },
  phone: {
    name: 'Company phone',
    kind: 'phone',
    isNullable: true,
    phrases:
      'company phone | company phone number | switchboard | main phone number | company telephone | office phone',
    isCertain: true,
  },
} as const satisfies AttributeTable<CompanyRecord, CompanyAttributeField>;
