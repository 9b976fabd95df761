import type { ColumnKind } from '@quarry/dto';
import type {
  Direction,
  FilterEntry,
  FilterType,
  FilterValues,
  LookupEntry,
  MeasureEntry,
  NameCatalogue,
  NumberEntry,
  OtherEntry,
  RangeSearchEntry,
  SearchEntry,
  SortEntry,
} from './attribute.js';
import { COMPANY, COMPANY_IDENTIFIERS } from './company.attributes.js';
import { LOOKUP, PERSON, PERSON_IDENTIFIERS } from './person.attributes.js';

/** Possible column of a result, with its entry in the table of attributes. */
export interface Attribute<Key extends string = string> {
  readonly key: Key;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
  readonly named: NameCatalogue | null;
  /** Phrases with which prompts and output contracts request it. */
  readonly phrases: readonly string[];
  readonly isCertain: boolean;
  readonly usual: { readonly company?: number; readonly person?: number };
  readonly heading: RegExp | null;
  readonly filters: Readonly<Record<string, FilterEntry>>;
  readonly sort: (Readonly<Record<Direction, readonly string[]>> & Pick<SortEntry, 'usual'>) | null;
  readonly measure: Measure | null;
  readonly search: SearchEntry | RangeSearchEntry | null;
}

/** Words of prompts around a number. */
export interface Measure extends Pick<MeasureEntry, 'unit' | 'noun'> {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly doubtful: readonly string[];
}

/** Filter of the directory and the attributes that it reads. */
export interface Filter<Name extends string = string> extends FilterEntry {
  readonly name: Name;
  readonly attributes: readonly Attribute[];
}

type Company = typeof COMPANY;
type Person = typeof PERSON;
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type FiltersOf<Table> = Intersection<
  { [Key in keyof Table]: Table[Key] extends { filters: infer Filters } ? Filters : never }[keyof Table]
>;
type ValuesOf<Filters> = {
  readonly [Name in keyof Filters]?: Filters[Name] extends { type: infer Type extends FilterType }
    ? FilterValues[Type]
    : never;
};
type NamesOfType<Filters, Type extends FilterType> = {
  [Name in keyof Filters]: Filters[Name] extends { type: Type } ? Name : never;
}[keyof Filters];

/**
 * Conditions on a company. All given attributes must match; the values of one attribute are alternatives, so an empty list
 * matches nothing.
 */
export type CompanyFilters = ValuesOf<FiltersOf<Company>>;
/** Conditions on a person; same rules as {@link CompanyFilters}. */
export type PersonFilters = ValuesOf<FiltersOf<Person>>;
/** Filters of one type, by name. */
export type FilterName<Type extends FilterType = FilterType> =
  NamesOfType<FiltersOf<Company>, Type> | NamesOfType<FiltersOf<Person>, Type>;

/** Company attribute by which rows can be sorted. */
export type SortField = {
  [Key in keyof Company]: Company[Key] extends { sort: object } ? Key : never;
}[keyof Company];

/** Order by a company attribute. */
export interface DirectorySort {
  readonly by: SortField;
  readonly direction: Direction;
}

export const COMPANY_ATTRIBUTES = attributesOf(COMPANY);
export const PERSON_ATTRIBUTES = attributesOf(PERSON);
/** Every field of a company's record. */
export const COMPANY_KEYS = [...COMPANY_IDENTIFIERS, ...COMPANY_ATTRIBUTES.map(({ key }) => key)] as const;
/** Every field of a person's record except the company. */
export const PERSON_KEYS = [...PERSON_IDENTIFIERS, ...PERSON_ATTRIBUTES.map(({ key }) => key)] as const;
/** Values found by paid services, one person at a time. */
export const LOOKUP_ATTRIBUTES = attributesOf(LOOKUP).map((attribute) => ({
  ...attribute,
  service: LOOKUP[attribute.key].service,
}));
export const COMPANY_FILTERS = filtersOf<keyof CompanyFilters>(COMPANY_ATTRIBUTES);
export const PERSON_FILTERS = filtersOf<keyof PersonFilters>(PERSON_ATTRIBUTES);

/** @returns whether rows can be sorted by an attribute */
export function isSortable(key: string): key is SortField {
  return COMPANY_ATTRIBUTES.some((attribute) => attribute.key === key && attribute.sort !== null);
}

type Entry = { readonly isNullable?: boolean } & (NumberEntry | OtherEntry | LookupEntry);

function attributesOf<Key extends string>(table: Readonly<Record<Key, Entry>>): Array<Attribute<Key>> {
  return Object.entries<Entry>(table).map(([key, entry]) => attributeOf(key as Key, entry));
}

function attributeOf<Key extends string>(key: Key, entry: Entry): Attribute<Key> {
  const { name, kind, phrases, isNullable = false, isCertain = false, usual = {}, heading = null } = entry;
  const more: Partial<NumberEntry & Omit<OtherEntry, 'kind'>> = entry as object;
  const { named = null, filters = {}, sort, measure, search = null } = more;
  return {
    key,
    name,
    kind,
    isNullable,
    named,
    phrases: wordsOf(phrases),
    isCertain,
    usual,
    heading,
    filters,
    search,
    sort: sort
      ? { usual: sort.usual, ascending: wordsOf(sort.ascending), descending: wordsOf(sort.descending) }
      : null,
    measure: measure ? measureOf(measure) : null,
  };
}

function measureOf({
  before = '',
  after = '',
  around = '',
  doubtful = '',
  ...measure
}: MeasureEntry): Measure {
  return {
    ...measure,
    before: [...wordsOf(before), ...wordsOf(around)],
    after: [...wordsOf(after), ...wordsOf(around)],
    doubtful: wordsOf(doubtful),
  };
}

function filtersOf<Name extends string>(attributes: readonly Attribute[]): Array<Filter<Name>> {
  const filters = new Map<string, Filter<Name>>();
  for (const attribute of attributes)
    for (const [name, entry] of Object.entries(attribute.filters)) {
      const known = filters.get(name)?.attributes ?? [];
      filters.set(name, { ...entry, name: name as Name, attributes: [...known, attribute] });
    }
  return [...filters.values()];
}

/** @returns the phrases of a list separated by "|" */
function wordsOf(list: string): string[] {
  return list.split('|').flatMap((phrase) => phrase.trim() || []);
}
