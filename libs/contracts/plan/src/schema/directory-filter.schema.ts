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

/** A place by its id in the vocabulary; its name follows from it. */
export type IntentPlace = Pick<Place, 'kind' | 'id'> & {
  /** No state of the city's name can be meant, as in "New York City". */
  readonly is_city_only?: true | undefined;
};
/** A role: one of its levels, one of its departments, all words in the title. An empty list asks nothing. */
export interface IntentRole extends Pick<Role, 'name' | 'seniorities' | 'departments'> {
  readonly title_words: readonly string[];
}

/** Value that a filter compares with, by the type that the table of attributes gives it. */
export type IntentValue<Type extends FilterType> = Type extends 'place'
  ? readonly IntentPlace[]
  : Type extends 'role'
    ? readonly IntentRole[]
    : FilterValues[Type];

/** The one operator of each type of filter, complete by type. */
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

/** A filter of the directory, said of the company or of the person. Several values are alternatives. */
export type DirectoryFilter = {
  readonly [Type in FilterType]: PromptOrigin & {
    readonly of: Entity;
    readonly filter: FilterName<Type>;
    readonly op: (typeof FILTER_OPERATORS)[Type];
    readonly value: IntentValue<Type>;
  };
}[FilterType];

const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);
/** As long as a prompt may be. */
const words = z.string().trim().min(1).max(20_000);
const idsOf = (ids: readonly string[]) => z.enum(ids as [string, ...string[]]);
const departments = idsOf(DEPARTMENTS.map(({ id }) => id)).meta({ id: 'department' });
/** A word that only imported directories have is `own:` and the words of their rows. */
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

/** The schema of what each type of filter compares with, complete by type. */
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

/** Returns the ids that a filter compares with; filters of one catalogue share one schema. */
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

/** One variant for each filter of the table of attributes; a new one there is one here. */
export const DIRECTORY_FILTER = z.discriminatedUnion('of', [
  filtersOf('company', COMPANY_FILTERS),
  filtersOf('person', PERSON_FILTERS),
]);

function filtersOf(of: Entity, filters: readonly Filter[]) {
  const [first, ...others] = filters.map((filter) => filterSchema(of, filter));
  return z.discriminatedUnion('filter', [first!, ...others]);
}
