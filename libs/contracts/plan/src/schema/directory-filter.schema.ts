import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type Filter,
  type FilterName,
  type FilterType,
  type FilterValues,
} from '@quarry/directory';
import {
  DEPARTMENTS,
  INDUSTRIES,
  SENIORITIES,
  traitIds,
  type Place,
  type Role,
  type TraitKind,
} from '@quarry/vocabulary';
import { z } from 'zod';
import type { Entity } from '../run-plan.js';
import { PROMPT_ORIGIN, type PromptOrigin } from './prompt-origin.schema.js';

/** Place by its id in the vocabulary, from which its name follows. */
export type IntentPlace = Pick<Place, 'kind' | 'id'> & {
  /** Set when a state with the city's name cannot be meant, as in "New York City". */
  readonly is_city_only?: true | undefined;
};
/** Role: one of its levels, one of its departments, all words in the title. An empty list is no condition. */
export interface IntentRole extends Pick<Role, 'name' | 'seniorities' | 'departments'> {
  readonly title_words: readonly string[];
}

/** Value of a filter, by its type in the table of attributes. */
export type IntentValue<Type extends FilterType> = Type extends 'place'
  ? readonly IntentPlace[]
  : Type extends 'role'
    ? readonly IntentRole[]
    : FilterValues[Type];

/** Operator of each filter type; the type makes the record complete. */
export const FILTER_OPERATORS = {
  range: 'between',
  industry: 'any_of',
  trait: 'any_of',
  every_trait: 'all_of',
  department: 'any_of',
  flag: 'is',
  place: 'in',
  role: 'any_of',
  name: 'named',
  domain: 'any_of',
} as const satisfies Readonly<Record<FilterType, string>>;

/** Filter of the directory, on the company or the person. Several values are alternatives. */
export type DirectoryFilter = {
  readonly [Type in FilterType]: PromptOrigin & {
    readonly of: Entity;
    readonly filter: FilterName<Type>;
    readonly op: (typeof FILTER_OPERATORS)[Type];
    readonly value: IntentValue<Type>;
  };
}[FilterType];

const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);
/** Text of at most the length of a prompt. */
const words = z.string().trim().min(1).max(20_000);
const idsOf = (ids: readonly string[]) => z.enum(ids as [string, ...string[]]);
const departments = idsOf(DEPARTMENTS.map(({ id }) => id)).meta({ id: 'department' });
/** Id of a word that only imported directories contain: `own:` and the word. */
const ownWord = z.string().regex(/^own:.{1,60}$/, { abort: true });
const industries = z.union([idsOf(INDUSTRIES.map(({ id }) => id)), ownWord]).meta({ id: 'industry' });
const seniorities = idsOf(SENIORITIES.map(({ id }) => id)).meta({ id: 'seniority' });
const traits = new Map<TraitKind, z.ZodType>();

export const RANGE = z
  .strictObject({ min: z.number().nullable(), max: z.number().nullable() })
  .meta({ id: 'range', description: 'From min to max, both included; null is open.' });
export const PLACE = z
  .strictObject({
    kind: z.enum(['city', 'state', 'country', 'region']),
    id: z.string().min(1).max(100),
    is_city_only: z.literal(true).optional(),
  })
  .meta({ id: 'place', description: 'Ids: city DE-berlin, state US-MN, country DE, region dach.' });
const ROLE = z
  .strictObject({
    name: words.describe('As it is shown: "CTO".'),
    seniorities: z.array(seniorities),
    departments: z.array(departments),
    title_words: z.array(words),
  })
  .meta({
    id: 'role',
    description:
      'One of the levels, one of the departments, all words in the title; an empty list asks nothing.',
  });

/** Schemas of the values of each filter type; the type makes the record complete. */
const VALUES: { readonly [Type in FilterType]: (filter: Filter) => z.ZodType } = {
  range: () => some(RANGE),
  industry: () => some(industries),
  trait: (filter) => some(traitsOf(filter)),
  every_trait: (filter) => some(traitsOf(filter)),
  department: () => some(departments),
  flag: () => z.boolean(),
  place: () => some(PLACE),
  role: () => some(ROLE),
  name: () => some(words),
  domain: () => some(words),
};

/** Returns the schema of the ids of a filter; filters with the same catalogue share one schema. */
function traitsOf({ attributes: [first] }: Filter): z.ZodType {
  const kind = first?.named as TraitKind;
  const ids = idsOf(traitIds(kind));
  const known =
    traits.get(kind) ?? (kind === 'technology' ? z.union([ids, ownWord]) : ids).meta({ id: kind });
  traits.set(kind, known);
  return known;
}

function filterSchema(of: Entity, filter: Filter) {
  return z.strictObject({
    of: z.literal(of),
    filter: z.literal(filter.name),
    op: z.literal(FILTER_OPERATORS[filter.type]),
    value: VALUES[filter.type](filter),
    ...PROMPT_ORIGIN,
  });
}

/** Schema with one variant per filter of the table of attributes; a filter added there is added here as well. */
export const DIRECTORY_FILTER = z.discriminatedUnion('of', [
  filtersOf('company', COMPANY_FILTERS),
  filtersOf('person', PERSON_FILTERS),
]);

function filtersOf(of: Entity, filters: readonly Filter[]) {
  const [first, ...others] = filters.map((filter) => filterSchema(of, filter));
  return z.discriminatedUnion('filter', [first!, ...others]);
}
