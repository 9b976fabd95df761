import type { Entity, TableSort } from '@quarry/plan';
import type { QualificationEffect } from '@quarry/dto';
import type { DirectorySort } from '@quarry/directory';
import type { DepartmentId } from '@quarry/vocabulary';
import type { Condition } from './condition.js';

/** Meaning of a span of tokens. */
export type Meaning =
  | {
      readonly type: 'condition';
      readonly condition: Condition;
      /** The assumption behind the reading, when it has one. */
      readonly note?: string;
      /** "German", "Dutch": describes the noun that follows. */
      readonly isAdjective?: boolean;
      /** The noun itself says what the rows are: "startups". */
      readonly entity?: Entity;
    }
  /** A line of business and a department have the same name; the neighbours decide. */
  | {
      readonly type: 'field';
      readonly department: DepartmentId;
      readonly industryIds: readonly string[];
      readonly name: string;
    }
  | { readonly type: 'entity'; readonly entity: Entity }
  | { readonly type: 'count'; readonly value: number | null; readonly note?: string }
  | { readonly type: 'per_company'; readonly value: number }
  | { readonly type: 'column'; readonly attribute: string; readonly isCertain: boolean }
  | { readonly type: 'column_lead' }
  | { readonly type: 'sort'; readonly sort: DirectorySort }
  | { readonly type: 'sort_lead' }
  /** A column of the named table: shown where columns are listed. */
  | { readonly type: 'table_column'; readonly key: string }
  | { readonly type: 'table_sort'; readonly sort: TableSort }
  | { readonly type: 'direction'; readonly direction: DirectorySort['direction'] }
  | { readonly type: 'top' }
  | { readonly type: 'effect'; readonly effect: QualificationEffect }
  /** `item`: the next thing and what is coordinated with it. `clause`: all that is listed up to the next phrase. */
  | { readonly type: 'negation'; readonly reach: 'item' | 'clause' }
  /** "But": takes something out of "all" and the like, or goes on describing. */
  | { readonly type: 'exception' }
  | { readonly type: 'conjunction'; readonly word: 'and' | 'or' }
  | { readonly type: 'scope'; readonly of: Entity }
  | { readonly type: 'hiring' }
  | { readonly type: 'table_name'; readonly name: string }
  | { readonly type: 'follow_up' }
  /** A relation that the directory does not hold ("sells to", "funded by"): what follows belongs to it. */
  | { readonly type: 'relation' }
  /** Understood well enough to know that nothing can be done with it. */
  | { readonly type: 'unsupported' }
  /** Words that carry no meaning of their own here. */
  | { readonly type: 'filler' };
export type MeaningType = Meaning['type'];
export type MeaningOf<T extends MeaningType> = Extract<Meaning, { type: T }>;

/** A meaning and the tokens that say it, end excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Decides between readings of the same tokens; higher wins. */
  readonly weight: number;
  readonly meaning: Meaning;
}
