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
      /** Entity of the rows that the noun itself implies: "startups". */
      readonly entity?: Entity;
    }
  /** Name of both an industry and a department; the neighbouring words decide. */
  | {
      readonly type: 'field';
      readonly department: DepartmentId;
      readonly industryIds: readonly string[];
      readonly name: string;
    }
  | { readonly type: 'entity'; readonly entity: Entity }
  | { readonly type: 'count'; readonly value: number | null; readonly note?: string }
  /** `unread`: words between the number and its cue that say more than "people": "2 engineers per company". */
  | {
      readonly type: 'per_company';
      readonly value: number;
      readonly unread?: { readonly start: number; readonly end: number };
    }
  | { readonly type: 'column'; readonly attribute: string; readonly isCertain: boolean }
  | { readonly type: 'column_lead' }
  | { readonly type: 'sort'; readonly sort: DirectorySort }
  | { readonly type: 'sort_lead' }
  /** Column of the named table: shown within a list of columns. */
  | { readonly type: 'table_column'; readonly key: string }
  | { readonly type: 'table_sort'; readonly sort: TableSort }
  | { readonly type: 'direction'; readonly direction: DirectorySort['direction'] }
  | { readonly type: 'top' }
  | { readonly type: 'effect'; readonly effect: QualificationEffect }
  /** `item`: the next item and those coordinated with it. `clause`: everything that is listed up to the next phrase. */
  | { readonly type: 'negation'; readonly reach: 'item' | 'clause' }
  /** "But": excludes something from "all" and similar words, or continues a description. */
  | { readonly type: 'exception' }
  | { readonly type: 'conjunction'; readonly word: 'and' | 'or' }
  | { readonly type: 'scope'; readonly of: Entity }
  | { readonly type: 'hiring' }
  | { readonly type: 'table_name'; readonly name: string }
  | { readonly type: 'follow_up' }
  /** Relation that the directory does not contain ("sells to", "funded by"): what follows belongs to it. */
  | { readonly type: 'relation' }
  /** Recognised, but not supported. */
  | { readonly type: 'unsupported' }
  /** Words without a meaning of their own here. */
  | { readonly type: 'filler' };
export type MeaningType = Meaning['type'];
export type MeaningOf<T extends MeaningType> = Extract<Meaning, { type: T }>;

/** Meaning and its tokens, end excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Decides between readings of the same tokens; higher wins. */
  readonly weight: number;
  readonly meaning: Meaning;
}
