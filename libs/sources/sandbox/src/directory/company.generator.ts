import {
  CITIES,
  type City,
  COUNTRIES,
  type Country,
  type DepartmentId,
  DEPARTMENTS,
  INDUSTRIES,
  type Industry,
  TECHNOLOGIES,
  VENTURE_STAGE_IDS,
} from '@quarry/vocabulary';
import { companyNounsOf, NAME_ENDINGS, NAME_STARTS } from './company-names.catalogue.js';
import {
  CONSUMER_INDUSTRIES,
  COUNTRY_WEIGHTS,
  HEADCOUNT_BANDS,
  INDUSTRY_WEIGHTS,
  VENTURE_INDUSTRIES,
} from './economy.catalogue.js';
import { nameStyleOf } from './person-names.catalogue.js';
import { sandboxPhone } from './phone.js';
import { createRandom, WeightedList, type Random } from './random.js';
import { SLUG_PREFIX, slugOfName, UniqueNames } from './slug.js';
import type { WholeCompany } from './whole-record.js';

/** Minimum and maximum total funding in US dollars of a company at each stage. */
const FUNDING_BY_STAGE: Readonly<Record<string, readonly [low: number, high: number]>> = {
  bootstrapped: [0, 0],
  pre_seed: [200_000, 1_500_000],
  seed: [1_000_000, 6_000_000],
  series_a: [6_000_000, 25_000_000],
  series_b: [20_000_000, 70_000_000],
  series_c: [60_000_000, 180_000_000],
  series_d_plus: [150_000_000, 900_000_000],
};
const FUNDING_SEED = 0x46_55_4e_44;
const FOUNDED_FIRST = 1900;
const FOUNDED_LAST = 2025;

const countries = new WeightedList<Country>(
  COUNTRIES.map((country) => [country, COUNTRY_WEIGHTS[country.code] ?? 1]),
);
const industries = new WeightedList<Industry>(
  INDUSTRIES.map((industry) => [industry, INDUSTRY_WEIGHTS[industry.id] ?? 1]),
);
const bands = new WeightedList(HEADCOUNT_BANDS);
const citiesByCountry = new Map(COUNTRIES.map(({ code }) => [code, citiesOf(code)]));

/** Generates `count` companies; the same random source gives the same companies. */
export function generateCompanies(count: number, random: Random): WholeCompany[] {
  const slugs = new UniqueNames();
  return Array.from({ length: count }, (_, index) => generateCompany(index, random, slugs));
}

function generateCompany(index: number, random: Random, slugs: UniqueNames): WholeCompany {
  const country = countries.draw(random);
  const city = citiesByCountry.get(country.code)!.draw(random);
  const industry = industries.draw(random);
  const name = freeName(country, industry, random, slugs);
  const slug = slugs.take(slugOfName(name));
  const headcount = drawHeadcount(random);
  const founded = drawFoundedYear(headcount, random);
  const domain = `${slug}.example`;
  const hiring = drawHiring(headcount, random);
  const stage = drawFundingStage(industry, headcount, founded, random);
  const model = drawBusinessModel(industry, random);
  return {
    id: `co_${String(index + 1).padStart(5, '0')}`,
    name,
    domain,
    website: `https://www.${domain}`,
    linkedin_url: `https://www.linkedin.com/company/${SLUG_PREFIX}${slug}`,
    industry_id: industry.id,
    industry: industry.name,
    description: describeCompany(name, industry, city, founded, model),
    city: city.name,
    state: city.state,
    country: country.name,
    country_code: country.code,
    headcount,
    founded_year: founded,
    funding_stage: stage,
    funding_amount_usd: drawFundingAmount(stage, index),
    revenue_usd: drawRevenue(headcount, random),
    business_model: model,
    ownership: drawOwnership(industry, headcount, stage, random),
    technologies: drawSome(TECHNOLOGIES, random.int(1, 6), random).map(({ id }) => id),
    keywords: keywordsOf(industry, model),
    is_hiring: hiring.length > 0,
    hiring_departments: hiring,
    phone: sandboxPhone(country.code, index),
  };
}

function citiesOf(countryCode: string): WeightedList<City> {
  // Zipf's law: the second city of a country has about half as many companies as the first, the third a third.
  return new WeightedList(
    CITIES.filter((city) => city.countryCode === countryCode).map((city, rank) => [
      city,
      1 / (rank + 1) ** 0.7,
    ]),
  );
}

function freeName(country: Country, industry: Industry, random: Random, slugs: UniqueNames): string {
  for (;;) {
    const name = drawName(country, industry, random);
    if (!slugs.has(slugOfName(name))) return name;
  }
}

function drawName(country: Country, industry: Industry, random: Random): string {
  const noun = random.pick(companyNounsOf(industry.id));
  const family = nameStyleOf(country.code).last;
  const kind = random.next();
  if (kind < 0.14) return `${random.pick(family)} ${noun}`;
  if (kind < 0.2) return `${random.pick(family)} & ${random.pick(family)} ${noun}`;
  const root = random.pick(NAME_STARTS) + random.pick(NAME_ENDINGS);
  return kind < 0.32 ? root : `${root} ${noun}`;
}

function drawHeadcount(random: Random): number {
  const [low, high] = bands.draw(random);
  return Math.min(high, Math.floor(low * (high / low) ** random.next() + random.next()));
}

function drawFoundedYear(headcount: number, random: Random): number {
  // The exponent shifts the distribution to recent years for small companies; large ones have had time to grow.
  const bend = headcount > 1000 ? 1.4 : headcount > 200 ? 2.2 : 3.2;
  return FOUNDED_LAST - Math.floor((FOUNDED_LAST - FOUNDED_FIRST + 1) * random.next() ** bend);
}

function drawFundingStage(
  industry: Industry,
  headcount: number,
  founded: number,
  random: Random,
): string | null {
  if (!VENTURE_INDUSTRIES.has(industry.id) || founded < 2005) return null;
  if (random.chance(0.35)) return random.chance(0.5) ? 'bootstrapped' : null;
  const expected =
    headcount < 8
      ? 0
      : headcount < 25
        ? 1
        : headcount < 80
          ? 2
          : headcount < 200
            ? 3
            : headcount < 500
              ? 4
              : 5;
  const stage = Math.max(0, Math.min(VENTURE_STAGE_IDS.length - 1, expected + random.int(-1, 1)));
  return VENTURE_STAGE_IDS[stage] ?? null;
}

/** Draws from a random source of its own, so that the other fields of the directory keep their values. */
function drawFundingAmount(stage: string | null, index: number): number | null {
  const bounds = stage === null ? undefined : FUNDING_BY_STAGE[stage];
  if (!bounds) return null;
  const [low, high] = bounds;
  if (high === 0) return 0;
  // Funding grows by factors from round to round, and is quoted in steps of 100,000.
  const amount = low * (high / low) ** createRandom(FUNDING_SEED + index).next();
  return Math.round(amount / 100_000) * 100_000;
}

function drawRevenue(headcount: number, random: Random): number {
  // 60,000 to 400,000 dollars per head, rounded to thousands as such figures usually are.
  return Math.round((headcount * (60 + 340 * random.next() ** 2)) as number) * 1000;
}

function drawBusinessModel(industry: Industry, random: Random): string {
  const draw = random.next();
  if (draw < 0.06) return 'marketplace';
  if (draw < 0.14) return 'b2b2c';
  const consumerShare = CONSUMER_INDUSTRIES.has(industry.id) ? 0.7 : 0.12;
  return random.chance(consumerShare) ? 'b2c' : 'b2b';
}

function drawOwnership(industry: Industry, headcount: number, stage: string | null, random: Random): string {
  if (industry.id === 'nonprofit') return 'nonprofit';
  if ((industry.id === 'education' || industry.id === 'hospitals') && random.chance(0.35)) return 'nonprofit';
  const publicShare =
    stage !== null ? 0 : headcount > 5000 ? 0.7 : headcount > 1000 ? 0.35 : headcount > 200 ? 0.05 : 0;
  return random.chance(publicShare) ? 'public' : 'private';
}

function drawHiring(headcount: number, random: Random): DepartmentId[] {
  if (!random.chance(Math.min(0.9, 0.2 + Math.log10(headcount) * 0.2))) return [];
  const wanted = random.int(1, Math.min(6, 1 + Math.floor(Math.log10(headcount) * 2)));
  return drawSome(DEPARTMENTS.slice(1), wanted, random).map(({ id }) => id);
}

function drawSome<T>(items: readonly T[], count: number, random: Random): T[] {
  const chosen = new Set<T>();
  while (chosen.size < count) chosen.add(random.pick(items));
  return [...chosen];
}

function keywordsOf(industry: Industry, model: string): string[] {
  return [...industry.synonyms.slice(0, 3), model];
}

function describeCompany(
  name: string,
  industry: Industry,
  city: City,
  founded: number,
  model: string,
): string {
  const customers =
    model === 'b2c' ? 'consumers' : model === 'b2b' ? 'businesses' : 'businesses and consumers';
  return `${name} is a fictional company in ${industry.name} that has served ${customers} from ${city.name} since ${founded}.`;
}
