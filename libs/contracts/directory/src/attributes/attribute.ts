import type { ColumnKind } from '@quarry/dto';
import type { Place, DepartmentId, Role, TraitKind } from '@quarry/vocabulary';

/** Whole numbers from `min` to `max`, both included; null is open. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/** The ways in which records are compared, and what each is given. Any of several values is enough. */
export interface FilterValues {
  range: readonly NumberRange[];
  /** Ids of industries. */
  industry: readonly string[];
  /** Ids of the attribute's catalogue. */
  trait: readonly string[];
  /** As `trait`, but the record must have them all. */
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

/** A filter of the directory. Attributes that declare the same one are read by it together, in the table's order. */
export interface FilterEntry<Type extends FilterType = FilterType> {
  readonly type: Type;
  /** Opens its words in messages: "headcount: 50 to 200". */
  readonly label: string;
  /** Field of the record that it compares, where that is not the attribute's own. */
  readonly field?: string;
  /** False where "but" before its words goes on describing: "all banks but founded in 1990". Default true. */
  readonly isExcepted?: boolean;
  /** True for words that are nouns, so that "with" goes on describing them: "excluding banks with 50 staff". */
  readonly isNoun?: boolean;
}

export type Direction = 'ascending' | 'descending';

/** Words of a prompt that order rows by an attribute and name the direction at once, parted by "|". */
export interface SortEntry extends Readonly<Record<Direction, string>> {
  /** The direction where a prompt names the attribute and none. */
  readonly usual: Direction;
}

/** Words of a prompt around a number: those before it, behind it, and on either side, parted by "|". */
export interface MeasureEntry {
  readonly unit: 'count' | 'usd' | 'year';
  /** Noun of the counted things or of the sum, for messages. */
  readonly noun: string;
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  /** Words behind it that also name rows ("people"), so that they count only where something shows it. */
  readonly doubtful?: string;
}

/** Inputs of the search services, by name and description. `ofPeople`: among people, where that differs. */
export interface SearchEntry {
  readonly name: string;
  readonly description: string;
  readonly ofPeople?: { readonly name: string; readonly description: string } | null;
}

/** `<name>_min` and `<name>_max` of the search services. */
export interface RangeSearchEntry {
  readonly name: string;
  readonly least: string;
  readonly greatest: string;
}

/** Catalogues that give ids their names. */
export type NameCatalogue = TraitKind | 'department' | 'seniority';

interface EntryBase {
  /** Heading of its column. */
  readonly name: string;
  /** Words by which prompts and output contracts ask for its column, parted by "|". */
  readonly phrases: string;
  /** True when the words can hardly mean anything but a wanted column. */
  readonly isCertain?: boolean;
  /** Its place among the columns that rows of companies, or of people, have without being asked. */
  readonly usual?: { readonly company?: number; readonly person?: number };
  /** Folded headings under which other people's tables keep it. */
  readonly heading?: RegExp;
}

/** A numeric attribute, complete, so that it can be filtered, sorted, searched and named in prompts. */
export interface NumberEntry extends EntryBase {
  readonly kind: 'number';
  readonly heading: RegExp;
  readonly filters: Readonly<Record<string, FilterEntry<'range'>>>;
  readonly sort: SortEntry;
  readonly measure: MeasureEntry;
  /** Null where the search services do not offer it. */
  readonly search: RangeSearchEntry | null;
}

export interface OtherEntry extends EntryBase {
  readonly kind: Exclude<ColumnKind, 'number'>;
  /** The record holds ids; their names are shown. */
  readonly named?: NameCatalogue;
  readonly filters?: Readonly<Record<string, FilterEntry<Exclude<FilterType, 'range'>>>>;
  readonly sort?: SortEntry;
  readonly search?: SearchEntry;
}

/** The entry that a field of a record must have. */
type EntryFor<Value> = ([Value] extends [number | null] ? NumberEntry : OtherEntry) &
  (null extends Value ? { readonly isNullable: true } : { readonly isNullable?: never });

/** One entry for each field of a record that is an attribute; a field without one does not compile. */
export type AttributeTable<Row, Key extends keyof Row> = { readonly [K in Key]: EntryFor<Row[K]> };

/** A value that a paid service finds, one person at a time. */
export interface LookupEntry extends EntryBase {
  readonly kind: ColumnKind;
  readonly service: 'getEmail' | 'getPhoneNumber';
}
