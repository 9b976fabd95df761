/** Expected plan of a prompt, with filters in the vocabulary of the plan. */
export interface Expected {
  readonly filters: readonly string[];
  readonly entity?: 'person';
  readonly count?: number;
  readonly lost?: readonly string[];
  readonly criteria?: readonly string[];
  readonly columns?: readonly string[];
  readonly sort?: string;
  readonly perCompany?: number;
}

/** Realistic prompts, with every filter that they state. */
export const WRITTEN_PROMPTS: ReadonlyArray<readonly [prompt: string, expected: Expected]> = [
  [
    '20 fintech companies in Berlin with 50 to 200 employees',
    { filters: ['industry: Fintech', 'place: Berlin', 'headcount: 50 to 200'], count: 20 },
  ],
  [
    'Please find me CTOs at fintech or insurtech companies in Berlin, Munich or Hamburg with 50-200 staff, with work email and phone number.',
    {
      filters: [
        'industry: Fintech or Insurtech',
        'place: Berlin or Munich or Hamburg',
        'headcount: 50 to 200',
        'role: CTO',
      ],
      entity: 'person',
      columns: ['email', 'phone'],
    },
  ],
  [
    'I need a list of fifty Dutch logistics companies founded after 2010, not in Amsterdam',
    {
      filters: [
        'industry: Logistics & Transportation',
        'place: Netherlands',
        'founded: 2011 or more',
        'not place: Amsterdam',
      ],
      count: 50,
    },
  ],
  [
    'who are the VPs of Engineering and heads of product at US SaaS startups with 10+ employees?',
    {
      filters: [
        'industry: Software & SaaS',
        'place: United States',
        'headcount: 10 or more',
        'founded: 2015 or more',
        'role: VP of Engineering or Head of Product',
      ],
      entity: 'person',
    },
  ],
  [
    'Find 7 CTOs at series B health tech firms in Boston, exclude anyone at companies with over 500 employees, with work email and their phone',
    {
      filters: [
        'industry: Health Technology',
        'place: Boston',
        'funding stage: Series B',
        'role: CTO',
        'not headcount: 501 or more',
      ],
      entity: 'person',
      count: 7,
      columns: ['email', 'phone'],
    },
  ],
  [
    'email addresses of 3 founders of AI companies in Paris',
    {
      filters: ['industry: Artificial Intelligence', 'place: Paris', 'role: Founder'],
      entity: 'person',
      count: 3,
      columns: ['email'],
    },
  ],
  [
    '20 people in Berlin, excluding CEOs at fintech companies',
    { filters: ['lives in: Berlin'], entity: 'person', count: 20, lost: ['not CEOs with fintech'] },
  ],
  [
    'biotech companies in Spain, no CEOs',
    { filters: ['industry: Biotechnology', 'place: Spain'], lost: ['not CEOs'] },
  ],
  [
    'fintech people, decision makers preferred, excluding procurement',
    {
      filters: ['industry: Fintech', 'not role: Procurement'],
      entity: 'person',
      criteria: ['prefer role: Decision maker'],
    },
  ],
  [
    'top 10 largest pharma companies in Switzerland',
    { filters: ['industry: Pharmaceuticals', 'place: Switzerland'], count: 10, sort: 'headcount descending' },
  ],
  [
    'give us all law firms in the UK excluding London with fewer than 50 people',
    {
      filters: [
        'industry: Law Firms & Legal Services',
        'place: United Kingdom',
        'headcount: 49 or less',
        'not place: London',
      ],
    },
  ],
  [
    'Build me a table of 30 biotech companies in the Nordics. Prefer companies that are hiring. Disqualify those with more than 500 staff. Include website, headcount and LinkedIn.',
    {
      filters: ['industry: Biotechnology', 'place: Nordics'],
      count: 30,
      criteria: ['prefer is hiring', 'exclude headcount: 501 or more'],
      columns: ['website'],
    },
  ],
  [
    'German manufacturers founded before 1950 with more than 1,000 staff',
    {
      filters: [
        'industry: Industrial Machinery or Automotive or Aerospace & Defense or Chemicals or Computer Hardware & Electronics or Semiconductors or Medical Devices or Food & Beverage or Consumer Goods or Fashion & Apparel',
        'place: Germany',
        'headcount: 1001 or more',
        'founded: 1949 or less',
      ],
    },
  ],
  [
    'find 25 B2B software companies in France that use Salesforce and HubSpot',
    {
      filters: [
        'industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology',
        'place: France',
        'business model: B2B',
        'uses: Salesforce and HubSpot',
      ],
      count: 25,
      columns: ['technologies'],
    },
  ],
  [
    'marketing directors at e-commerce brands in Spain or Portugal, 2 per company',
    {
      filters: ['industry: E-commerce', 'place: Spain or Portugal', 'role: Director of Marketing'],
      entity: 'person',
      perCompany: 2,
    },
  ],
  [
    '- Industry: cybersecurity\n- Location: Israel\n- Size: 50-500\n- Founded: since 2012\n- Columns: website, headcount',
    {
      filters: ['industry: Cybersecurity', 'place: Israel', 'headcount: 50 to 500', 'founded: 2012 or more'],
      columns: ['website'],
    },
  ],
  [
    'HR leaders in Singapore',
    { filters: ['role: Human Resources leader', 'lives in: Singapore'], entity: 'person' },
  ],
  [
    'recruiters working at staffing agencies in Austin, TX',
    { filters: ['industry: Staffing & Recruiting', 'place: Austin', 'role: Recruiter'], entity: 'person' },
  ],
  [
    'a dozen oldest banks in Italy',
    { filters: ['industry: Banking', 'place: Italy'], count: 12, sort: 'founded_year ascending' },
  ],
  [
    'companies hiring software engineers in Poland',
    { filters: ['place: Poland', 'hiring in: Engineering', 'is hiring'] },
  ],
  [
    'series A or series B health tech startups in North America, ideally B2B, funded by Sequoia',
    {
      filters: [
        'industry: Health Technology',
        'place: North America',
        'founded: 2015 or more',
        'funding stage: Series A or Series B',
      ],
      lost: ['funded by Sequoia'],
      criteria: ['prefer business model: B2B'],
    },
  ],
  [
    '20 Companies With A Blue Logo In Paris',
    { filters: ['place: Paris'], count: 20, lost: ['With A Blue Logo'] },
  ],
  [
    'ceo and founders of small construction firms in texas with linkedin and email',
    {
      filters: ['industry: Construction', 'place: Texas', 'headcount: 49 or less', 'role: CEO or Founder'],
      entity: 'person',
      columns: ['email'],
    },
  ],
  [
    'Show me around 40 mid-size retailers across Latin America (no Brazil please)',
    {
      filters: ['industry: Retail', 'place: Latin America', 'headcount: 50 to 249', 'not place: Brazil'],
      count: 40,
    },
  ],
  [
    'non-US semiconductor companies, at least 200 employees, sorted by founding year',
    {
      filters: ['industry: Semiconductors', 'headcount: 200 or more', 'not place: United States'],
      sort: 'founded_year ascending',
    },
  ],
  [
    'How many people-focused NGOs are there in Kenya?',
    { filters: ['industry: Non-profit Organisations', 'place: Kenya'], lost: ['people-focused'] },
  ],
  [
    'up to 30 gaming studios from the last 5 years in Japan or South Korea',
    { filters: ['industry: Video Games', 'place: Japan or South Korea', 'founded: 2020 or more'], count: 30 },
  ],
  [
    'Insurers in DACH with revenue above $100 million; must be public',
    {
      filters: ['industry: Insurance', 'place: DACH', 'revenue in US dollars: 100000001 or more'],
      criteria: ['require ownership: Public'],
      columns: ['revenue_usd'],
    },
  ],
  [
    'FIND 15 SOLAR COMPANIES IN AUSTRALIA AND NEW ZEALAND',
    { filters: ['industry: Renewable Energy & Climate Tech', 'place: Oceania'], count: 15 },
  ],
  [
    'sales managers who live in Dublin and work for American tech companies',
    {
      filters: [
        'industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology or IT Services & Consulting or Computer Hardware & Electronics or Semiconductors or Video Games or E-commerce or Telecommunications',
        'place: United States',
        'role: Manager in Sales',
        'lives in: Dublin',
      ],
      entity: 'person',
    },
  ],
  [
    'Between 10 and 50 employees, AI, London, founded 2018-2022. 100 results max.',
    {
      filters: [
        'industry: Artificial Intelligence',
        'place: London',
        'headcount: 10 to 50',
        'founded: 2018 to 2022',
      ],
      count: 100,
    },
  ],
  [
    '"Nordwind Logistik" and "Talpath Construction" – get me their websites',
    { filters: ['company name: Nordwind Logistik or Talpath Construction'], columns: ['website'] },
  ],
  [
    'decision makers in procurement at automotive suppliers in Bavaria or Stuttgart, no interns',
    {
      filters: [
        'industry: Automotive',
        'place: Bavaria or Stuttgart',
        'role: Decision maker in Procurement',
        'not role: Intern',
      ],
      entity: 'person',
    },
  ],
  [
    'profitable agencies in Manchester that sell to banks',
    {
      filters: ['industry: Marketing & Advertising', 'place: Manchester'],
      lost: ['profitable', 'that sell to banks'],
    },
  ],
  [
    "I'm looking for edtech companies, but not in India or China, without VC funding, between 1990 and 2005",
    {
      filters: [
        'industry: Education Technology',
        'founded: 1990 to 2005',
        'not place: India or China',
        'not funding stage: Pre-seed or Seed or Series A or Series B or Series C or Series D+',
      ],
    },
  ],
  ['all companies but banks in Germany', { filters: ['not industry: Banking with place: Germany'] }],
  ['all fintech companies but those in Berlin', { filters: ['industry: Fintech', 'not place: Berlin'] }],
  [
    'everyone but CEOs at fintech companies',
    { filters: ['industry: Fintech', 'not role: CEO'], entity: 'person' },
  ],
  [
    'everyone at fintech companies but CEOs',
    { filters: ['industry: Fintech', 'not role: CEO'], entity: 'person' },
  ],
  [
    'all fintech companies in Berlin but with more than 50 employees',
    { filters: ['industry: Fintech', 'place: Berlin', 'headcount: 51 or more'] },
  ],
  [
    'all fintech companies in Berlin, but only the small',
    { filters: ['industry: Fintech', 'place: Berlin', 'headcount: 49 or less'] },
  ],
  [
    'fintech companies excluding all of the banks but the ones in Berlin',
    {
      filters: ['industry: Fintech', 'not industry: Banking with place: Berlin'],
      lost: ['excluding all of the', 'but'],
    },
  ],
  [
    'not only fintech companies in Berlin',
    { filters: ['industry: Fintech', 'place: Berlin'], lost: ['not only'] },
  ],
  [
    'fintech companies, not just in Berlin',
    { filters: ['industry: Fintech', 'place: Berlin'], lost: ['not just'] },
  ],
  [
    'CTOs without e-mail in Berlin',
    { filters: ['role: CTO', 'lives in: Berlin'], entity: 'person', lost: ['without e-mail'] },
  ],
  [
    'CTOs without e-mail or phone at fintech companies, with LinkedIn',
    { filters: ['industry: Fintech', 'role: CTO'], entity: 'person', lost: ['without e-mail', 'phone'] },
  ],
  [
    'fintech companies with no website in Berlin',
    { filters: ['industry: Fintech', 'place: Berlin'], lost: ['with no website'] },
  ],
  [
    'fintech companies without revenue in Germany',
    { filters: ['industry: Fintech', 'place: Germany'], lost: ['without revenue'] },
  ],
  [
    'fintech companies except those in Berlin and those with more than 500 employees',
    { filters: ['industry: Fintech', 'not place: Berlin', 'not headcount: 501 or more'] },
  ],
  [
    'fintech companies, excluding the ones in Berlin with more than 500 employees',
    { filters: ['industry: Fintech', 'not place: Berlin with headcount: 501 or more'] },
  ],
  [
    'fintech companies excluding banks with more than 500 employees',
    { filters: ['industry: Fintech', 'not industry: Banking with headcount: 501 or more'] },
  ],
  [
    'fintech companies excluding small ones with HubSpot',
    { filters: ['industry: Fintech', 'not headcount: 49 or less with uses: HubSpot'] },
  ],
  [
    'fintech companies not in Boston with 50 staff',
    { filters: ['industry: Fintech', 'headcount: 50', 'not place: Boston'] },
  ],
  ['fintech companies founded in 2020 or 2021', { filters: ['industry: Fintech', 'founded: 2020 or 2021'] }],
  [
    'fintech companies founded in 2015, 2016 or 2017 in Berlin',
    { filters: ['industry: Fintech', 'place: Berlin', 'founded: 2015 or 2016 or 2017'] },
  ],
  [
    'fintech companies founded in 2015, 2000 employees, 20 results',
    { filters: ['industry: Fintech', 'founded: 2015', 'headcount: 2000'], count: 20 },
  ],
  [
    'fintech companies founded between 2018 and 2022 or 2024',
    { filters: ['industry: Fintech', 'founded: 2018 to 2022'], lost: ['2024'] },
  ],
  ['fintech companies with 50 or 60 employees', { filters: ['industry: Fintech', 'headcount: 50 or 60'] }],
  [
    'fintech companies with 10, 20 or 30 employees',
    { filters: ['industry: Fintech', 'headcount: 20 or 30'], lost: ['with 10'] },
  ],
  ['20 or 30 fintech companies', { filters: ['industry: Fintech'], count: 20, lost: ['30'] }],
  [
    'find 20 or 30 people in Berlin',
    { filters: ['lives in: Berlin'], entity: 'person', count: 20, lost: ['30'] },
  ],
  ['fintech companies with phone +49', { filters: ['industry: Fintech'], lost: ['49'], columns: ['phone'] }],
  [
    'fintech companies sorted by founded newest first',
    { filters: ['industry: Fintech'], sort: 'founded_year descending' },
  ],
  [
    'fintech companies sorted by revenue, smallest first',
    { filters: ['industry: Fintech'], sort: 'revenue_usd ascending' },
  ],
  [
    'fintech companies sorted by founding year from newest to oldest',
    { filters: ['industry: Fintech'], sort: 'founded_year descending' },
  ],
  [
    'fintech companies sorted by size from smallest to largest',
    { filters: ['industry: Fintech'], sort: 'headcount ascending' },
  ],
  [
    'fintech companies sorted by name from z to a',
    { filters: ['industry: Fintech'], sort: 'name descending' },
  ],
  [
    'fintech companies in Berlin, descending',
    { filters: ['industry: Fintech', 'place: Berlin'], lost: ['descending'] },
  ],
  [
    '10 largest fintech companies, newest first',
    { filters: ['industry: Fintech'], count: 10, sort: 'headcount descending', lost: ['newest first'] },
  ],
  [
    '10 largest fintech companies in ascending order',
    { filters: ['industry: Fintech'], count: 10, sort: 'headcount descending', lost: ['in ascending order'] },
  ],
  ['companies called "Acme" in Berlin', { filters: ['company name: Acme', 'place: Berlin'] }],
  ['fintech companies named "Acme"', { filters: ['company name: Acme', 'industry: Fintech'] }],
  [
    'people titled "Head of Growth" in Berlin',
    { filters: ['lives in: Berlin'], entity: 'person', lost: ['titled "Head of Growth"'] },
  ],
  ['20 fintech companies, in a table named "Targets"', { filters: ['industry: Fintech'], count: 20 }],
  [
    'companies that are not small but mid-size',
    { filters: ['headcount: 50 to 249', 'not headcount: 49 or less'] },
  ],
  [
    'fintech companies in Germany that raised more than $10M',
    {
      filters: ['industry: Fintech', 'place: Germany', 'funding in US dollars: 10000001 or more'],
      columns: ['funding_amount_usd'],
    },
  ],
  [
    'all insurers in Paris with their total funding',
    { filters: ['industry: Insurance', 'place: Paris'], columns: ['funding_amount_usd'] },
  ],
  [
    '20 biotech startups with $5M-$50M in funding, with the most funding',
    {
      filters: [
        'industry: Biotechnology',
        'founded: 2015 or more',
        'funding in US dollars: 5000000 to 50000000',
      ],
      count: 20,
      sort: 'funding_amount_usd descending',
      columns: ['funding_amount_usd'],
    },
  ],
  [
    'CTOs at fintech companies, excluding those with total funding under $1 million, sorted by amount raised',
    {
      filters: ['industry: Fintech', 'role: CTO', 'not funding in US dollars: 999999 or less'],
      entity: 'person',
      sort: 'funding_amount_usd descending',
    },
  ],
  [
    'all fintech companies in Berlin but with more than $20m raised, preferably raised over $100M',
    {
      filters: ['industry: Fintech', 'place: Berlin', 'funding in US dollars: 20000001 or more'],
      criteria: ['prefer funding in US dollars: 100000001 or more'],
    },
  ],
  ['all companies in Germany, but fintech only', { filters: ['industry: Fintech', 'place: Germany'] }],
];
