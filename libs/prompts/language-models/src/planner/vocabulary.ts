import {
  COMPANY_ATTRIBUTES,
  COMPANY_FILTERS,
  isSortable,
  LOOKUP_ATTRIBUTES,
  PERSON_ATTRIBUTES,
  PERSON_FILTERS,
  type Filter,
} from '@quarry/directory';
import {
  CITIES,
  COUNTRIES,
  DEPARTMENTS,
  foldText,
  foldWords,
  INDUSTRIES,
  REGIONS,
  SENIORITIES,
  singularOf,
  TECHNOLOGIES,
  traitIds,
  type TraitKind,
} from '@quarry/vocabulary';
import { allServices, inputFields, jsonSchemasOf, type AnyService } from '@quarry/service-catalog';

/** Term that a model may refer to by its id. */
interface Term {
  readonly id: string;
  /** Names that people use for it. */
  readonly names: readonly string[];
}

const industries: readonly Term[] = INDUSTRIES.map(({ id, name, synonyms }) => ({
  id,
  names: [name, ...synonyms],
}));
const technologies: readonly Term[] = TECHNOLOGIES.map(({ id, name, synonyms }) => ({
  id,
  names: [name, ...synonyms],
}));
const cities: readonly Term[] = CITIES.map((city) => ({ id: city.id, names: [city.name, ...city.aliases] }));
const countries: readonly Term[] = COUNTRIES.map((country) => ({ id: country.code, names: [country.name] }));
const regions: readonly Term[] = REGIONS.map((region) => ({ id: region.id, names: [region.name] }));
const ALL = [...industries, ...technologies, ...cities, ...countries, ...regions];

/**
 * @param prompt omits long lists of terms that it does not name; null for all terms, which a prompt in another language
 *   needs
 * @returns the vocabulary of plans, one list per line
 */
export function vocabularyText(prompt: string | null): string {
  // Names are singular: "banks" names a bank. Folded once, since a prompt may be long.
  const words = foldWords(prompt ?? '');
  const origin = [words, words.map(singularOf)].map((each) => ` ${each.join(' ')} `);
  const isNamed = ({ id, names }: Term): boolean =>
    [id, ...names].map(foldText).some((name) => origin.some((text) => text.includes(` ${name} `)));
  const named = (terms: readonly Term[]): readonly Term[] =>
    prompt === null ? terms : terms.filter(isNamed);
  const list = (title: string, ids: readonly string[]): string => `${title}: ${ids.join(' ')}`;
  return [
    'FILTERS OF COMPANIES (of "company"):',
    ...COMPANY_FILTERS.map(filterLine),
    'FILTERS OF PEOPLE (of "person", only where rows are people):',
    ...PERSON_FILTERS.map(filterLine),
    'IDS',
    list('industries', named(industries).map(withName)),
    list(
      'technologies',
      named(technologies).map(({ id }) => id),
    ),
    ...(['funding', 'business_model', 'ownership'] as const).map((kind) => list(`${kind}`, traitIds(kind))),
    list(
      'departments',
      DEPARTMENTS.map(({ id }) => id),
    ),
    list(
      'seniorities',
      SENIORITIES.map(({ id }) => id),
    ),
    list(
      'regions (kind "region")',
      regions.map(({ id }) => id),
    ),
    list(
      'countries (kind "country")',
      named(countries).map(({ id }) => id),
    ),
    'states of the USA (kind "state"): US-MN and so on',
    list(
      'cities (kind "city")',
      named(cities).map(({ id }) => id),
    ),
    list(
      'COLUMNS of companies',
      COMPANY_ATTRIBUTES.map(({ key }) => key),
    ),
    list(
      'COLUMNS of people (and those of companies as company_…)',
      PERSON_ATTRIBUTES.map(({ key }) => key),
    ),
    list(
      'COLUMNS by service, of people',
      LOOKUP_ATTRIBUTES.map(({ key, service }) => `${key}=${service}`),
    ),
    'COLUMNS by other services, as name(inputs): fields of the answer, its usual one first',
    ...serviceLines(),
    list('ORDER by', COMPANY_ATTRIBUTES.map(({ key }) => key).filter(isSortable)),
  ].join('\n');
}

/** Maximum number of output fields that are listed; the fields of larger outputs are the columns above. */
const FIELDS_SHOWN_MAX = 12;

let linesOfServices: readonly string[] | null = null;

/** Creates the lines at the first prompt: reading the schemas of all outputs takes tens of milliseconds. */
function serviceLines(): readonly string[] {
  return (linesOfServices ??= allServices().flatMap(serviceLine));
}

function serviceLine(service: AnyService): string[] {
  if (LOOKUP_ATTRIBUTES.some((each) => each.service === service.name)) return [];
  const fields = inputFields(service);
  // A search accepts every filter; a few of them are enough for one row.
  const inputs = fields.length > FIELDS_SHOWN_MAX ? SEARCH_INPUTS[service.name] : fields;
  const names = (inputs ?? []).map(({ name, isRequired }) => (isRequired ? name : `${name}?`));
  const { properties = {} } = jsonSchemasOf(service).output as { properties?: object };
  const others = Object.keys(properties).filter((name) => ![service.cellField, 'provider'].includes(name));
  const shown = others.length > FIELDS_SHOWN_MAX ? ['…'] : others;
  return [`${service.name}(${names.join(',')}): ${[service.cellField, ...shown].join(' ')}`];
}

const SEARCH_INPUTS: Readonly<Record<string, ReadonlyArray<{ name: string; isRequired: boolean }>>> = {
  searchCompanies: ['names', 'industries', 'limit'].map((name) => ({ name, isRequired: false })),
  searchPeople: ['company_domains', 'roles', 'limit'].map((name) => ({ name, isRequired: false })),
};

/** @returns up to three similar ids of the vocabulary, the most similar first; for an id that a model invented */
export function nearestTerms(word: string): string[] {
  const wanted = letterPairs(word);
  return listCandidates()
    .map(({ id, spellings }) => ({
      id,
      near: Math.max(...spellings.map((each) => diceCoefficient(each, wanted))),
    }))
    .filter(({ near }) => near > 0.4)
    .sort((a, b) => b.near - a.near)
    .slice(0, 3)
    .map(({ id }) => id);
}

interface Candidate {
  readonly id: string;
  readonly spellings: ReadonlyArray<ReadonlySet<string>>;
}

let known: readonly Candidate[] | null = null;

/** Creates the candidates at the first fault: most processes never need them. */
function listCandidates(): readonly Candidate[] {
  const ids = [
    ...[...COMPANY_FILTERS, ...PERSON_FILTERS].map(({ name }) => name),
    ...(['funding', 'business_model', 'ownership'] as const satisfies readonly TraitKind[]).flatMap(traitIds),
  ];
  known ??= [...ids.map((id) => ({ id, names: [] })), ...ALL].map(({ id, names }) => ({
    id,
    spellings: [id, ...names].map(letterPairs),
  }));
  return known;
}

const VALUES: Readonly<Record<Filter['type'], readonly [op: string, value: string]>> = {
  range: ['between', '[{"min":number|null,"max":number|null}], both included'],
  industry: ['any_of', '[ids of industries]'],
  trait: ['any_of', '[ids]'],
  every_trait: ['all_of', '[ids], all of them'],
  department: ['any_of', '[ids of departments]'],
  flag: ['is', 'true or false'],
  place: ['in', '[{"kind","id"}]'],
  role: ['any_of', '[{"name","seniorities":[ids],"departments":[ids],"title_words":[words]}]'],
  name: ['named', '[names as they are spelled]'],
  domain: ['any_of', '[domains as they are spelled]'],
};

function filterLine({ name, type, label, attributes: [first] }: Filter): string {
  const [op, value] = VALUES[type];
  const catalogue = type === 'trait' || type === 'every_trait' ? ` of ${first?.named ?? ''}` : '';
  return `- ${name} (${label}): op "${op}", value ${value}${catalogue}`;
}

function withName({ id, names: [name] }: Term): string {
  return `${id} (${name});`;
}

/** Returns Dice's coefficient over pairs of letters: 1 for the same word, 0 for nothing in common. */
function diceCoefficient(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return (2 * shared) / (one.size + other.size || 1);
}

function letterPairs(word: string): Set<string> {
  const letters = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}
