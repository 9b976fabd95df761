import type { ColumnKind } from '@quarry/dto';
import type { Place, DepartmentId, Role, TraitKind } from '@quarry/vocabulary';

/** Whole numbers from `min` to `max`, both included; null for no bound. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/** Types of filters, and the values that each accepts. Several values are alternatives. */
export interface FilterValues {
  range: readonly NumberRange[];
  /** Ids of industries. */
  industry: readonly string[];
  /** Ids of the attribute's catalogue. */
  trait: readonly string[];
  /** Like `trait`, but the record must have all of them. */
  every_trait: readonly string[];
  department: readonly DepartmentId[];
  flag: boolean;
  place: readonly Place[];
  role: readonly Role[];
  /** Whole names, compared without case, accents and punctuation. */
  name: readonly string[];
  domain: readonly string[];
}
export type FilterType = keyof FilterValues;

/** Filter of the directory. Several attributes may share a filter, which reads them in the table's order. */
export interface FilterEntry<Type extends FilterType = FilterType> {
  readonly type: Type;
  /** Prefix of its description in messages: "headcount: 50 to 200". */
  readonly label: string;
  /** Field of the record that it compares, if it differs from the attribute. */
  readonly field?: string;
  /** False when "but" before its words continues the description: "all banks but founded in 1990". Default true. */
  readonly isExcepted?: boolean;
  /** True for nouns, before which "with" continues the description: "excluding banks with 50 staff". */
  readonly isNoun?: boolean;
}

export type Direction = 'ascending' | 'descending';

/** Words of a prompt that sort rows by an attribute and imply the direction, separated by "|". */
export interface SortEntry extends Readonly<Record<Direction, string>> {
  /** Direction when a prompt names the attribute without one. */
  readonly usual: Direction;
}

/** Words of a prompt around a number: before it, after it, and on either side, separated by "|". */
export interface MeasureEntry {
  readonly unit: 'count' | 'usd' | 'year';
  /** Noun of the counted things or of the amount, for messages. */
  readonly noun: string;
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  /** Words after it that also name rows ("people"), so that they count only with further evidence. */
  readonly doubtful?: string;
}

/** Input of the search services: name and description. `ofPeople`: for people, if different. */
export interface SearchEntry {
  readonly name: string;
  readonly description: string;
  readonly ofPeople?: { readonly name: string; readonly description: string } | null;
}

/** Inputs `<name>_min` and `<name>_max` of the search services. */
export interface RangeSearchEntry {
  readonly name: string;
  readonly least: string;
  readonly greatest: string;
}

/** Catalogues with the names of ids. */
export type NameCatalogue = TraitKind | 'department' | 'seniority';

interface EntryBase {
  /** Heading of its column. */
  readonly name: string;
  /** Phrases with which prompts and output contracts request its column, separated by "|". */
  readonly phrases: string;
  /** True when the phrases almost certainly request a column. */
  readonly isCertain?: boolean;
  /** Position among the default columns of companies, or of people. */
  readonly usual?: { readonly company?: number; readonly person?: number };
  /** Pattern of folded headings in tables of customers. */
  readonly heading?: RegExp;
}

/** Numeric attribute with everything needed to filter, sort and search by it and to name it in prompts. */
export interface NumberEntry extends EntryBase {
  readonly kind: 'number';
  readonly heading: RegExp;
  readonly filters: Readonly<Record<string, FilterEntry<'range'>>>;
  readonly sort: SortEntry;
  readonly measure: MeasureEntry;
  /** Null when the search services do not offer it. */
  readonly search: RangeSearchEntry | null;
}

export interface OtherEntry extends EntryBase {
  readonly kind: Exclude<ColumnKind, 'number'>;
  /** Catalogue with the names of the ids in the record; the names are shown. */
  readonly named?: NameCatalogue;
  readonly filters?: Readonly<Record<string, FilterEntry<Exclude<FilterType, 'range'>>>>;
  readonly sort?: SortEntry;
  readonly search?: SearchEntry;
}

/** Type of the entry for a field of a record. */
type EntryFor<Value> = ([Value] extends [number | null] ? NumberEntry : OtherEntry) &
  (null extends Value ? { readonly isNullable: true } : { readonly isNullable?: never });

/** One entry for each attribute field of a record; a missing entry is a compile error. */
export type AttributeTable<Row, Key extends keyof Row> = { readonly [K in Key]: EntryFor<Row[K]> };

/** Value found by a paid service, one person at a time. */
export interface LookupEntry extends EntryBase {
  readonly kind: ColumnKind;
  readonly service: 'getEmail' | 'getPhoneNumber';
}
