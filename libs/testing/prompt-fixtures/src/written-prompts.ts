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

/** Realistic prompts; below each, every filter that it states, and what else its plan has. */
const WRITTEN = String.raw`
  20 fintech companies in Berlin with 50 to 200 employees
    industry: Fintech; place: Berlin; headcount: 50 to 200
    count 20
  Please find me CTOs at fintech or insurtech companies in Berlin, Munich or Hamburg with 50-200 staff, with work email and phone number.
    industry: Fintech or Insurtech; place: Berlin or Munich or Hamburg; headcount: 50 to 200; role: CTO
    entity person | columns email; phone
  I need a list of fifty Dutch logistics companies founded after 2010, not in Amsterdam
    industry: Logistics & Transportation; place: Netherlands; founded: 2011 or more; not place: Amsterdam
    count 50
  who are the VPs of Engineering and heads of product at US SaaS startups with 10+ employees?
    industry: Software & SaaS; place: United States; headcount: 10 or more; founded: 2015 or more; role: VP of Engineering or Head of Product
    entity person
  Find 7 CTOs at series B health tech firms in Boston, exclude anyone at companies with over 500 employees, with work email and their phone
    industry: Health Technology; place: Boston; funding stage: Series B; role: CTO; not headcount: 501 or more
    entity person | count 7 | columns email; phone
  email addresses of 3 founders of AI companies in Paris
    industry: Artificial Intelligence; place: Paris; role: Founder
    entity person | count 3 | columns email
  20 people in Berlin, excluding CEOs at fintech companies
    lives in: Berlin
    entity person | count 20 | lost not CEOs with fintech
  biotech companies in Spain, no CEOs
    industry: Biotechnology; place: Spain
    lost not CEOs
  fintech people, decision makers preferred, excluding procurement
    industry: Fintech; not role: Procurement
    entity person | criteria prefer role: Decision maker
  top 10 largest pharma companies in Switzerland
    industry: Pharmaceuticals; place: Switzerland
    count 10 | sort headcount descending
  give us all law firms in the UK excluding London with fewer than 50 people
    industry: Law Firms & Legal Services; place: United Kingdom; headcount: 49 or less; not place: London
  Build me a table of 30 biotech companies in the Nordics. Prefer companies that are hiring. Disqualify those with more than 500 staff. Include website, headcount and LinkedIn.
    industry: Biotechnology; place: Nordics
    count 30 | criteria prefer is hiring; exclude headcount: 501 or more | columns website
  German manufacturers founded before 1950 with more than 1,000 staff
    industry: Industrial Machinery or Automotive or Aerospace & Defense or Chemicals or Computer Hardware & Electronics or Semiconductors or Medical Devices or Food & Beverage or Consumer Goods or Fashion & Apparel; place: Germany; headcount: 1001 or more; founded: 1949 or less
  find 25 B2B software companies in France that use Salesforce and HubSpot
    industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology; place: France; business model: B2B; uses: Salesforce and HubSpot
    count 25 | columns technologies
  marketing directors at e-commerce brands in Spain or Portugal, 2 per company
    industry: E-commerce; place: Spain or Portugal; role: Director of Marketing
    entity person | perCompany 2
  - Industry: cybersecurity\n- Location: Israel\n- Size: 50-500\n- Founded: since 2012\n- Columns: website, headcount
    industry: Cybersecurity; place: Israel; headcount: 50 to 500; founded: 2012 or more
    columns website
  HR leaders in Singapore
    role: Human Resources leader; lives in: Singapore
    entity person
  recruiters working at staffing agencies in Austin, TX
    industry: Staffing & Recruiting; place: Austin; role: Recruiter
    entity person
  a dozen oldest banks in Italy
    industry: Banking; place: Italy
    count 12 | sort founded_year ascending
  companies hiring software engineers in Poland
    place: Poland; hiring in: Engineering; is hiring
  series A or series B health tech startups in North America, ideally B2B, funded by Sequoia
    industry: Health Technology; place: North America; founded: 2015 or more; funding stage: Series A or Series B
    lost funded by Sequoia | criteria prefer business model: B2B
  20 Companies With A Blue Logo In Paris
    place: Paris
    count 20 | lost With A Blue Logo
  ceo and founders of small construction firms in texas with linkedin and email
    industry: Construction; place: Texas; headcount: 49 or less; role: CEO or Founder
    entity person | columns email
  Show me around 40 mid-size retailers across Latin America (no Brazil please)
    industry: Retail; place: Latin America; headcount: 50 to 249; not place: Brazil
    count 40
  non-US semiconductor companies, at least 200 employees, sorted by founding year
    industry: Semiconductors; headcount: 200 or more; not place: United States
    sort founded_year ascending
  How many people-focused NGOs are there in Kenya?
    industry: Non-profit Organisations; place: Kenya
    lost people-focused
  up to 30 gaming studios from the last 5 years in Japan or South Korea
    industry: Video Games; place: Japan or South Korea; founded: 2020 or more
    count 30
  Insurers in DACH with revenue above $100 million; must be public
    industry: Insurance; place: DACH; revenue in US dollars: 100000001 or more
    criteria require ownership: Public | columns revenue_usd
  FIND 15 SOLAR COMPANIES IN AUSTRALIA AND NEW ZEALAND
    industry: Renewable Energy & Climate Tech; place: Oceania
    count 15
  sales managers who live in Dublin and work for American tech companies
    industry: Software & SaaS or Cybersecurity or Artificial Intelligence or Fintech or Insurtech or Education Technology or Property Technology or Health Technology or IT Services & Consulting or Computer Hardware & Electronics or Semiconductors or Video Games or E-commerce or Telecommunications; place: United States; role: Manager in Sales; lives in: Dublin
    entity person
  Between 10 and 50 employees, AI, London, founded 2018-2022. 100 results max.
    industry: Artificial Intelligence; place: London; headcount: 10 to 50; founded: 2018 to 2022
    count 100
  "Nordwind Logistik" and "Talpath Construction" – get me their websites
    company name: Nordwind Logistik or Talpath Construction
    columns website
  decision makers in procurement at automotive suppliers in Bavaria or Stuttgart, no interns
    industry: Automotive; place: Bavaria or Stuttgart; role: Decision maker in Procurement; not role: Intern
    entity person
  profitable agencies in Manchester that sell to banks
    industry: Marketing & Advertising; place: Manchester
    lost profitable; that sell to banks
  I'm looking for edtech companies, but not in India or China, without VC funding, between 1990 and 2005
    industry: Education Technology; founded: 1990 to 2005; not place: India or China; not funding stage: Pre-seed or Seed or Series A or Series B or Series C or Series D+
  all companies but banks in Germany
    not industry: Banking with place: Germany
  all fintech companies but those in Berlin
    industry: Fintech; not place: Berlin
  everyone but CEOs at fintech companies
    industry: Fintech; not role: CEO
    entity person
  everyone at fintech companies but CEOs
    industry: Fintech; not role: CEO
    entity person
  all fintech companies in Berlin but with more than 50 employees
    industry: Fintech; place: Berlin; headcount: 51 or more
  all fintech companies in Berlin, but only the small
    industry: Fintech; place: Berlin; headcount: 49 or less
  fintech companies excluding all of the banks but the ones in Berlin
    industry: Fintech; not industry: Banking with place: Berlin
    lost excluding all of the; but
  not only fintech companies in Berlin
    industry: Fintech; place: Berlin
    lost not only
  fintech companies, not just in Berlin
    industry: Fintech; place: Berlin
    lost not just
  CTOs without e-mail in Berlin
    role: CTO; lives in: Berlin
    entity person | lost without e-mail
  CTOs without e-mail or phone at fintech companies, with LinkedIn
    industry: Fintech; role: CTO
    entity person | lost without e-mail; phone
  fintech companies with no website in Berlin
    industry: Fintech; place: Berlin
    lost with no website
  fintech companies without revenue in Germany
    industry: Fintech; place: Germany
    lost without revenue
  fintech companies except those in Berlin and those with more than 500 employees
    industry: Fintech; not place: Berlin; not headcount: 501 or more
  fintech companies, excluding the ones in Berlin with more than 500 employees
    industry: Fintech; not place: Berlin with headcount: 501 or more
  fintech companies excluding banks with more than 500 employees
    industry: Fintech; not industry: Banking with headcount: 501 or more
  fintech companies excluding small ones with HubSpot
    industry: Fintech; not headcount: 49 or less with uses: HubSpot
  fintech companies not in Boston with 50 staff
    industry: Fintech; headcount: 50; not place: Boston
  fintech companies founded in 2020 or 2021
    industry: Fintech; founded: 2020 or 2021
  fintech companies founded in 2015, 2016 or 2017 in Berlin
    industry: Fintech; place: Berlin; founded: 2015 or 2016 or 2017
  fintech companies founded in 2015, 2000 employees, 20 results
    industry: Fintech; founded: 2015; headcount: 2000
    count 20
  fintech companies founded between 2018 and 2022 or 2024
    industry: Fintech; founded: 2018 to 2022
    lost 2024
  fintech companies with 50 or 60 employees
    industry: Fintech; headcount: 50 or 60
  fintech companies with 10, 20 or 30 employees
    industry: Fintech; headcount: 20 or 30
    lost with 10
  20 or 30 fintech companies
    industry: Fintech
    count 20 | lost 30
  find 20 or 30 people in Berlin
    lives in: Berlin
    entity person | count 20 | lost 30
  fintech companies with phone +49
    industry: Fintech
    lost 49 | columns phone
  fintech companies sorted by founded newest first
    industry: Fintech
    sort founded_year descending
  fintech companies sorted by revenue, smallest first
    industry: Fintech
    sort revenue_usd ascending
  fintech companies sorted by founding year from newest to oldest
    industry: Fintech
    sort founded_year descending
  fintech companies sorted by size from smallest to largest
    industry: Fintech
    sort headcount ascending
  fintech companies sorted by name from z to a
    industry: Fintech
    sort name descending
  fintech companies in Berlin, descending
    industry: Fintech; place: Berlin
    lost descending
  10 largest fintech companies, newest first
    industry: Fintech
    count 10 | sort headcount descending | lost newest first
  10 largest fintech companies in ascending order
    industry: Fintech
    count 10 | sort headcount descending | lost in ascending order
  companies called "Acme" in Berlin
    company name: Acme; place: Berlin
  fintech companies named "Acme"
    company name: Acme; industry: Fintech
  people titled "Head of Growth" in Berlin
    lives in: Berlin
    entity person | lost titled "Head of Growth"
  20 fintech companies, in a table named "Targets"
    industry: Fintech
    count 20
  companies that are not small but mid-size
    headcount: 50 to 249; not headcount: 49 or less
  fintech companies in Germany that raised more than $10M
    industry: Fintech; place: Germany; funding in US dollars: 10000001 or more
    columns funding_amount_usd
  all insurers in Paris with their total funding
    industry: Insurance; place: Paris
    columns funding_amount_usd
  20 biotech startups with $5M-$50M in funding, with the most funding
    industry: Biotechnology; founded: 2015 or more; funding in US dollars: 5000000 to 50000000
    count 20 | sort funding_amount_usd descending | columns funding_amount_usd
  CTOs at fintech companies, excluding those with total funding under $1 million, sorted by amount raised
    industry: Fintech; role: CTO; not funding in US dollars: 999999 or less
    entity person | sort funding_amount_usd descending
  all fintech companies in Berlin but with more than $20m raised, preferably raised over $100M
    industry: Fintech; place: Berlin; funding in US dollars: 20000001 or more
    criteria prefer funding in US dollars: 100000001 or more
  all companies in Germany, but fintech only
    industry: Fintech; place: Germany
`;

/** Realistic prompts, with every filter that they state. */
export const WRITTEN_PROMPTS: ReadonlyArray<readonly [prompt: string, expected: Expected]> = WRITTEN.trim()
  .split(/\n {2}(?=\S)/)
  .map((entry) => {
    const [prompt = '', filters = '', more] = entry.split(/\n +/);
    return [prompt.replaceAll('\\n', '\n'), { filters: filters.split('; '), ...restOf(more) }];
  });

/** @param text such as `entity person | count 3 | columns email; phone` */
function restOf(text = ''): Omit<Expected, 'filters'> {
  const parts = text.matchAll(/(\w+) ([^|]+?)(?: \| |$)/g);
  return Object.fromEntries(
    [...parts].map(([, key, value]) => {
      if (key === 'entity' || key === 'sort') return [key, value];
      return [key, key === 'count' || key === 'perCompany' ? Number(value) : value!.split('; ')];
    }),
  ) as Omit<Expected, 'filters'>;
}
