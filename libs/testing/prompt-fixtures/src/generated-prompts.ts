import type { CompanyFilters, CompanyQuery, NumberRange, PersonFilters } from '@quarry/directory';
import type { Random } from '@quarry/sandbox';
import { placeContains, placeNamed, placeOf, roleAt, type Place } from '@quarry/vocabulary';
import { createRandom } from '@quarry/sandbox';

/** A prompt whose meaning is known because it was generated from the meaning. Used by specs only. */
export interface GeneratedPrompt {
  readonly prompt: string;
  readonly entity: 'company' | 'person';
  readonly count: number | null;
  readonly companies: CompanyQuery;
  readonly people: PersonFilters;
  readonly columns: readonly string[];
  readonly notUnderstood: readonly string[];
}

/** Phrase and its meaning. */
type PhraseMeaning<T> = readonly [phrase: string, meaning: T];
interface Clause {
  readonly text: string;
  readonly companies?: CompanyQuery;
  readonly columns?: readonly string[];
  readonly lost?: readonly string[];
}

const LEADS = [
  '',
  'Find ',
  'Please find me ',
  'I need a list of ',
  'give me ',
  'Build me a table of ',
  'Show me ',
  'Can you get me ',
  'hi, I am looking for ',
];
const COUNTS: ReadonlyArray<PhraseMeaning<number | null>> = [
  ['', null],
  ['20 ', 20],
  ['fifty ', 50],
  ['a dozen ', 12],
  ['up to 30 ', 30],
  ['all ', null],
  ['around 40 ', 40],
  ['two hundred ', 200],
];
const NOUNS = ['companies', 'firms', 'businesses', 'organisations'];
const INDUSTRY_WORDS: ReadonlyArray<PhraseMeaning<string>> = [
  ['fintech', 'fintech'],
  ['insurtech', 'insurtech'],
  ['law', 'legal'],
  ['SaaS', 'software'],
  ['e-commerce', 'ecommerce'],
  ['logistics', 'logistics'],
  ['biotech', 'biotechnology'],
  ['Cybersecurity', 'cybersecurity'],
  ['automotive', 'automotive'],
  ['renewable energy', 'clean_energy'],
  ['real estate', 'real_estate'],
  ['gaming', 'gaming'],
  ['construction', 'construction'],
  ['pharmaceutical', 'pharmaceuticals'],
  ['medical device', 'medical_devices'],
  ['telecom', 'telecommunications'],
  ['insurance', 'insurance'],
];
const PLACES = [
  'Berlin',
  'Munich',
  'the UK',
  'France',
  'New York',
  'Texas',
  'California',
  'Spain',
  'the Netherlands',
  'India',
  'Tokyo',
  'the Nordics',
  'DACH',
  'Latin America',
  'Sydney',
  'Singapore',
  'Canada',
  'Brazil',
  'Illinois',
  'Zurich',
];
const OTHER_PLACES = ['Italy', 'Poland', 'Israel', 'Japan', 'Boston'];
const ADJECTIVES: ReadonlyArray<PhraseMeaning<Pick<Place, 'kind' | 'id'>>> = [
  ['German', { kind: 'country', id: 'DE' }],
  ['Dutch', { kind: 'country', id: 'NL' }],
  ['American', { kind: 'country', id: 'US' }],
  ['British', { kind: 'country', id: 'GB' }],
  ['Swiss', { kind: 'country', id: 'CH' }],
  ['European', { kind: 'region', id: 'europe' }],
];
const STAFF: ReadonlyArray<PhraseMeaning<NumberRange>> = [
  ['with 50-200 employees', { min: 50, max: 200 }],
  ['with more than 1,000 staff', { min: 1001, max: null }],
  ['with between 10 and 50 employees', { min: 10, max: 50 }],
  ['with at least 200 people', { min: 200, max: null }],
  ['with under 50 staff', { min: null, max: 49 }],
  ['with 10+ employees', { min: 10, max: null }],
  ['that have 11 to 500 employees', { min: 11, max: 500 }],
  ['with a headcount of 20 to 80', { min: 20, max: 80 }],
  ['employing fewer than 30 people', { min: null, max: 29 }],
  ['with 100 or more employees', { min: 100, max: null }],
];
const FOUNDED: ReadonlyArray<PhraseMeaning<NumberRange>> = [
  ['founded after 2015', { min: 2016, max: null }],
  ['founded since 2010', { min: 2010, max: null }],
  ['established before 1980', { min: null, max: 1979 }],
  ['founded between 1950 and 1990', { min: 1950, max: 1990 }],
  ['started in the 1990s', { min: 1990, max: 1999 }],
  ['founded in 2018', { min: 2018, max: 2018 }],
  ['founded in the last 5 years', { min: 2020, max: null }],
];
const TRAITS: ReadonlyArray<PhraseMeaning<CompanyFilters>> = [
  ['that are hiring', { is_hiring: true }],
  ['that use Salesforce', { technologies: ['salesforce'] }],
  ['using React and Python', { all_technologies: ['react', 'python'] }],
  ['using Shopify or Stripe', { technologies: ['shopify', 'stripe'] }],
  ['that are privately held', { ownerships: ['private'] }],
  ['at series A stage', { funding_stages: ['series_a'] }],
  ['with revenue over $10m', { revenue_usd: [{ min: 10_000_001, max: null }] }],
];
const LOST: ReadonlyArray<PhraseMeaning<string>> = [
  ['with a blue logo', 'with a blue logo'],
  ['funded by Sequoia', 'funded by Sequoia'],
  ['with friendly receptionists', 'with friendly receptionists'],
  ['run by twins', 'twins'],
];
const COLUMNS: ReadonlyArray<PhraseMeaning<readonly string[]>> = [
  ['including website and revenue', ['website', 'revenue_usd']],
  ['include the domain, headcount and LinkedIn', ['domain', 'headcount', 'linkedin_url']],
  ['with their tech stack', ['technologies']],
];
const ROLES = [
  'CTOs',
  'founders',
  'VPs of Engineering',
  'Heads of Marketing',
  'sales directors',
  'chief financial officers',
  'HR managers',
  'decision makers',
  'recruiters',
  'software engineers',
];

/** @returns prompts with their meaning; the same seed returns the same prompts */
export function generatePrompts(count: number, seed: number): GeneratedPrompt[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => generatePrompt(random));
}

function generatePrompt(random: Random): GeneratedPrompt {
  const isPeople = random.chance(0.4);
  const roles = isPeople ? rolesOf(random) : null;
  const [countText, count] = random.pick(COUNTS);
  const kind = kindOf(random);
  const clauses = [kind, ...clausesOf(random, kind.companies?.places === undefined)];
  const tail = clauses.slice(1).map(({ text }) => text);
  const head = roles ? `${roles.text} at ${kind.text}` : kind.text;
  const ending = random.pick(['', '.', '?', ' please.', ', thanks!']);
  const columns = clauses.flatMap((clause) => clause.columns ?? []);
  return {
    prompt: `${random.pick(LEADS)}${countText}${[head, ...tail].join(' ')}${ending}`,
    entity: isPeople ? 'person' : 'company',
    count,
    companies: Object.assign({}, ...clauses.map((clause) => clause.companies ?? {})) as CompanyQuery,
    people: roles ? { roles: roles.roles } : {},
    columns: isPeople ? columns.map((key) => (key === 'linkedin_url' ? key : `company_${key}`)) : columns,
    notUnderstood: clauses.flatMap((clause) => clause.lost ?? []),
  };
}

function rolesOf(random: Random) {
  const phrases = someOf(ROLES, random.int(1, 2), random);
  const roles = phrases
    .map((phrase) => roleAt(phrase.toLowerCase().split(' '), 0)?.meaning)
    .filter((role) => role !== undefined);
  return { text: phrases.join(' and '), roles };
}

function kindOf(random: Random): Clause {
  const industries = someOf(INDUSTRY_WORDS, random.int(1, 2), random);
  const adjective = random.chance(0.25) ? random.pick(ADJECTIVES) : null;
  const model = random.chance(0.2) ? 'B2B ' : '';
  const words = industries.map(([word]) => word).join(' or ');
  const place = adjective && placeOf(adjective[1]);
  return {
    text: `${adjective ? `${adjective[0]} ` : ''}${model}${words} ${random.pick(NOUNS)}`,
    companies: {
      industries: industries.map(([, id]) => id),
      ...(place ? { places: [place] } : {}),
      ...(model ? { business_models: ['b2b'] } : {}),
    },
  };
}

function clausesOf(random: Random, mayPlace: boolean): Clause[] {
  const clauses: Clause[] = [];
  const maybe = (probability: number, clause: () => Clause): void => {
    if (random.chance(probability)) clauses.push(clause());
  };
  maybe(mayPlace ? 0.7 : 0, () => placesClause(random));
  maybe(0.6, () => ranged('headcount', random.pick(STAFF)));
  maybe(0.5, () => ranged('founded', random.pick(FOUNDED)));
  maybe(0.35, () => traitClause(random.pick(TRAITS)));
  maybe(0.3, () => exclusionClause(random));
  maybe(0.2, () => lostClause(random.pick(LOST)));
  maybe(0.3, () => columnsClause(random.pick(COLUMNS)));
  return clauses;
}

function placesClause(random: Random): Clause {
  const drawn = someOf(PLACES, random.int(1, 3), random);
  // "Munich, DACH" would be an address, not two places.
  const names = drawn.some((inner) => drawn.some((outer) => isAround(outer, inner)))
    ? drawn.slice(0, 1)
    : drawn;
  const listed = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  const places = names.map((name) => placeNamed(name)).filter((place) => place !== null);
  return { text: `${random.pick(['in', 'based in', 'headquartered in'])} ${listed}`, companies: { places } };
}

function isAround(outer: string, inner: string): boolean {
  const [large, small] = [placeNamed(outer), placeNamed(inner)];
  return large !== null && small !== null && placeContains(large, small);
}

function ranged(attribute: 'headcount' | 'founded', [text, range]: PhraseMeaning<NumberRange>): Clause {
  return { text, companies: { [attribute]: [range] } };
}

function traitClause([text, companies]: PhraseMeaning<CompanyFilters>): Clause {
  return { text, companies };
}

function exclusionClause(random: Random): Clause {
  const name = random.pick(OTHER_PLACES);
  const place = placeNamed(name);
  const places = place ? [place] : [];
  return random.chance(0.5)
    ? {
        text: `, ${random.pick(['not in', 'excluding', 'except', 'but not in'])} ${name}`,
        companies: { not: [{ places }] },
      }
    : { text: `, excluding agencies`, companies: { not: [{ industries: ['marketing_agency'] }] } };
}

function lostClause([text, lost]: PhraseMeaning<string>): Clause {
  return { text, lost: [lost] };
}

function columnsClause([text, columns]: PhraseMeaning<readonly string[]>): Clause {
  return { text: `, ${text}`, columns };
}

function someOf<T>(items: readonly T[], count: number, random: Random): T[] {
  const chosen = new Set<T>();
  while (chosen.size < count) chosen.add(random.pick(items));
  return [...chosen];
}
