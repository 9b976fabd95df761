import { describe, expect, it } from '@jest/globals';
import { FieldReader } from './field-reader.js';
import { measureMedian, TEXT_CPU_MS_MAX } from '@quarry/test-servers';
import { parsedDollars, parsedSize, parsedYear } from './normalise-numbers.js';
import { industryIn, placeIn } from './normalise-words.js';
import { RejectedLine } from './rejected-line.js';
import { companyCells, personCells } from './row-cells.js';
import { UnknownWords } from './unknown-words.js';

function read(cells: typeof companyCells, values: Record<string, string>) {
  const unknown = new UnknownWords();
  const mapping = new Map(Object.keys(values).map((key, at) => [key, at]));
  const row = cells(new FieldReader(mapping, unknown).turnTo(Object.values(values)));
  return { row, unknown: unknown.fieldsShown() };
}

describe('LinkedIn URLs in files', () => {
  const person = (linkedin_url: string) =>
    read(personCells, { full_name: 'Ada Zahl', company_name: 'Zahlwerk', linkedin_url }).row;

  it('identify people by the segment after /in/, not by a language suffix', () => {
    const [ada, bo] = [
      person('https://linkedin.com/in/ada-zahl/en'),
      person('https://linkedin.com/in/bo/en'),
    ];
    expect(ada).toMatchObject({
      linkedin_slug: 'ada-zahl',
      linkedin_url: 'https://www.linkedin.com/in/ada-zahl',
      id: person('linkedin.com/in/Ada-Zahl').id,
    });
    expect(bo!.id).not.toBe(ada!.id);
    expect(person('https://www.linkedin.com/in/m%C3%BCller').linkedin_slug).toBe('müller');
  });

  it('that are no profile are kept as they are, and identify nobody', () => {
    const [lead] = [person('https://www.linkedin.com/sales/lead/ACw,NAME')];
    expect(lead).toMatchObject({
      linkedin_slug: null,
      linkedin_url: 'https://www.linkedin.com/sales/lead/ACw,NAME',
    });
    expect(person('none')).toMatchObject({ linkedin_slug: null, linkedin_url: null });
  });
});

describe('numbers in files', () => {
  it.each([
    ['51-200', { exact: null, min: 51, max: 200 }],
    ['1,001 to 5,000 employees', { exact: null, min: 1001, max: 5000 }],
    ['10001+', { exact: null, min: 10_001, max: null }],
    ['> 500', { exact: null, min: 501, max: null }],
    ['c_00051_00100', { exact: null, min: 51, max: 100 }],
    ['c_10001_max', { exact: null, min: 10_001, max: null }],
    ['1,234', { exact: 1234, min: 1234, max: 1234 }],
    ['37.0', { exact: 37, min: 37, max: 37 }],
    ['self-employed', { exact: 1, min: 1, max: 1 }],
    ['200-51', null],
    ['many', null],
    ['99999999999', null],
    [' 37 Employees ', { exact: 37, min: 37, max: 37 }],
  ])('a size of %s', (text, size) => expect(parsedSize(text)).toEqual(size));

  it('a size of mostly blanks is read in one pass', async () => {
    const blanks = ' '.repeat(50_000);
    const cpuMs = await measureMedian(() => parsedSize(`${blanks}staff${blanks}x`), TEXT_CPU_MS_MAX);
    expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
  });

  it.each([
    ['1998', 1998],
    ['1998.0', 1998],
    ['2008-03-01', 2008],
    ['21/11/2012', 2012],
    ['998', null],
    ['20080301', null],
  ])('a year of %s', (text, year) => expect(parsedYear(text)).toBe(year));

  it.each([
    ['1200000', 1_200_000],
    ['$1.2M', 1_200_000],
    ['1,200,000 USD', 1_200_000],
    ['$1M - $10M', null],
    ['€5m', null],
    ['0', 0],
  ])('a dollar amount of %s', (text, amount) => expect(parsedDollars(text)).toBe(amount));
});

describe('words in files', () => {
  it.each([
    ['computer software', 'software'],
    ['Information Technology and Services', 'it_services'],
    ['hospital & health care', 'hospitals'],
    ['62012 - Business and domestic software development', 'software'],
    ['69102 - Solicitors', 'legal'],
    ['Analytics,Machine Learning', 'artificial_intelligence'],
    // A word for several industries matches none of them.
    ['healthcare', null],
    ['99999 - Dormant Company', null],
    ['underwater basket weaving', null],
  ])('the industry %s is recognised or kept as text', (text, id) => {
    expect(industryIn(text).id).toBe(id);
    if (id === null) expect(industryIn(text).name).toBe(text);
  });

  const nowhere = { city: null, state: null, country: null, location: null };
  it.each([
    [
      { country: 'deu', city: 'münchen' },
      { city: 'Munich', state: null, country: 'Germany', countryCode: 'DE' },
    ],
    [
      { city: 'new york, new york, united states' },
      { city: 'New York', state: 'New York', country: 'United States', countryCode: 'US' },
    ],
    [{ country: 'us_ca' }, { city: null, state: 'California', country: 'United States', countryCode: 'US' }],
    [
      { country: 'ENGLAND', city: 'LONDON' },
      { city: 'London', state: null, country: 'United Kingdom', countryCode: 'GB' },
    ],
    [
      { location: 'Springfield, Elbonia' },
      { city: null, state: null, country: 'Elbonia', countryCode: null },
    ],
    [
      { country: 'Elbonia', city: 'Mudville' },
      { city: 'Mudville', state: null, country: 'Elbonia', countryCode: null },
    ],
    // A city with this name in another country is a different city.
    [
      { country: 'US', city: 'Paris', state: 'TX' },
      { city: 'Paris', state: 'Texas', country: 'United States', countryCode: 'US' },
    ],
  ])('the place %j is recognised', (given, found) =>
    expect(placeIn({ ...nowhere, ...given })).toEqual(found),
  );
});

describe('a row of companies', () => {
  it('is mapped to the vocabulary; unknown words are kept as text and counted', () => {
    const { row, unknown } = read(companyCells, {
      name: ' Ünïcode GmbH ',
      website: 'http://www.shop.acme.co.uk/x',
      linkedin_url: 'linkedin.com/company/acme-uk/',
      industry: 'basket weaving',
      country: 'Elbonia',
      size: '11-50',
      technologies: 'React; Cobol 68',
      founded_year: 'long ago',
    });
    expect(row).toMatchObject({
      name: 'Ünïcode GmbH',
      name_folded: 'unicode gmbh',
      domain: 'acme.co.uk',
      website: 'http://www.shop.acme.co.uk/x',
      linkedin_url: 'https://www.linkedin.com/company/acme-uk',
      linkedin_slug: 'acme-uk',
      industry_id: null,
      industry: 'basket weaving',
      country: 'Elbonia',
      country_code: null,
      // A range is not an exact number.
      headcount: null,
      headcount_min: 11,
      headcount_max: 50,
      // A word that is in no catalogue becomes a word of the directory.
      technologies: ['react', 'own:cobol 68'],
      founded_year: null,
      revenue_usd: null,
      is_hiring: null,
    });
    expect(unknown.map(({ field, texts }) => [field, ...texts])).toEqual([
      ['country', 'Elbonia'],
      ['industry', 'basket weaving'],
      ['founded_year', 'long ago'],
    ]);
  });

  it('has the same id at each import, and different companies have different ids', () => {
    const idOf = (values: Record<string, string>) => read(companyCells, values).row.id;
    expect(idOf({ name: 'A', domain: 'a.com' })).toBe(idOf({ name: 'A Inc', domain: 'www.a.com' }));
    expect(idOf({ name: 'A', country: 'DE' })).not.toBe(idOf({ name: 'A', country: 'FR' }));
  });

  it.each([
    [{ name: ' ' }, 'It has no company name.'],
    [{ name: 'x'.repeat(301) }, 'A name is longer than 300 characters.'],
    [{ name: 'a\0b' }, 'name has characters that cannot be kept.'],
    [{ name: 'a', description: 'x'.repeat(10_001) }, 'description is longer than 10000 characters.'],
  ])('is rejected with its reason', (values, reason) => {
    expect(() => read(companyCells, values as unknown as Record<string, string>)).toThrow(
      new RejectedLine(reason),
    );
  });
});

describe('a row of people', () => {
  it('is read with its company, and level and department come from the title if no column has them', () => {
    const { row } = read(personCells, {
      full_name: 'Ada M. Lovelace',
      title: 'Chief Technology Officer',
      linkedin_url: 'https://uk.linkedin.com/in/Ada/',
      company_name: 'Engines',
      company_domain: 'https://engines.co.uk',
      company_size: '11-50',
    });
    expect(row).toMatchObject({
      first_name: 'Ada',
      last_name: 'Lovelace',
      seniority: 'c_level',
      department: 'engineering',
      seniority_rank: 1,
      linkedin_slug: 'ada',
      company_name: 'Engines',
      company_domain: 'engines.co.uk',
      company_headcount_min: 11,
    });
  });

  it.each([
    ['Co-Founder', 'founder', null],
    ['Founder & CEO', 'founder', 'executive'],
    ['CTO and Co-Founder', 'founder', 'engineering'],
    ['Co-Founder / Head of Sales', 'founder', 'sales'],
    ['Founders Office Associate', null, null],
    ['Head of Sales & Marketing', 'head', null],
  ])('gets level and department from its title: %s', (title, seniority, department) => {
    const { row } = read(personCells, { full_name: 'Ada Zahl', title, company_name: 'Engines' });
    expect([row.seniority, row.department]).toEqual([seniority, department]);
  });

  it('is rejected without first and last name, or without a company', () => {
    expect(() => read(personCells, { full_name: 'Cher', company_name: 'A' })).toThrow(/first and last name/);
    expect(() => read(personCells, { full_name: 'A B', company_name: '' })).toThrow(
      'It has no company name.',
    );
  });
});
