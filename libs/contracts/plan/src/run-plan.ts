import type { ColumnKind, Qualification, QualificationEffect } from '@quarry/dto';
import type { CompanyQuery, DirectorySort, PersonFilters } from '@quarry/directory';
import type { Predicate } from './predicate.js';

/** Raised when the meaning of a stored plan changes. Older ones are read by `readStoredPlans`. */
export const RUN_PLAN_VERSION = 2;

export const ENTITIES = ['company', 'person'] as const;
export type Entity = (typeof ENTITIES)[number];

/**
 * Source of one input of a service: the key of an attribute or of a column, or a value of its own. Texts of that value
 * may hold keys in double braces, such as `https://{{domain}}/about`, which stand for what the row has there.
 */
export type ServiceInput = string | { readonly value?: unknown };
/** By the names of the service's inputs. */
export type ServiceInputs = Readonly<Record<string, ServiceInput>>;

export type PlanSource =
  | { readonly kind: 'directory' }
  | { readonly kind: 'table'; readonly table_id: string; readonly table_name: string }
  | {
      readonly kind: 'web';
      /** Description of the wanted rows, in words. */
      readonly wanted: string;
      readonly max_credits: number;
      /** True where the table has a place for rows that are disqualified: an output contract wants none. */
      readonly keeps_disqualified: boolean;
    };

/** Source of a column's values. */
export type ColumnSource =
  | { readonly from: 'directory'; readonly attribute: string }
  | {
      readonly from: 'service';
      /** Name in the service catalogue. */
      readonly service: string;
      /** Left out: what is known of the person, for a service that looks people up. */
      readonly inputs?: ServiceInputs | undefined;
      /** Field of the answer that is the value, as a path; left out: the service's own. */
      readonly field?: string | undefined;
    }
  | { readonly from: 'table'; readonly column_key: string }
  /** Statements of pages about the row; `attribute`: the directory's name for it, where it has one. */
  | { readonly from: 'web'; readonly attribute?: string | undefined }
  /** The verdict of the column's own criterion. */
  | { readonly from: 'criterion' }
  /** Nobody can fill it; the plan's `notUnderstood` says so. */
  | { readonly from: 'nothing' };

export interface PlanColumn {
  readonly key: string;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  readonly qualification: Qualification;
  readonly source: ColumnSource;
}

/** A criterion that rows are evaluated by. */
export interface Criterion {
  readonly column_key: string;
  readonly criterion: string;
  readonly effect: QualificationEffect;
  /** Null when the criterion's words were not understood: no row can then be evaluated by it. */
  readonly test: Predicate | null;
}

export type TableSort = { readonly column_key: string; readonly direction: 'ascending' | 'descending' };

/** Rows that a follow-up works on: those that a run before it has found, in the table that it has made. */
export interface RowsBefore {
  readonly table_id: string;
  /** The latest run that has worked on the table: its journal says what is known of each row. */
  readonly run_id: string;
  /** Conditions of the follow-up on the rows: each that does not meet them is removed. */
  readonly checks: readonly Predicate[];
  /** Columns that must have a value, and whether the value must be a sure one. */
  readonly filled: ReadonlyArray<{ readonly key: string; readonly is_sure: boolean }>;
}

/** Work of a run, as plain JSON that the compiler makes of an intent; journaled before the first step begins. */
export interface RunPlan {
  readonly version: typeof RUN_PLAN_VERSION;
  /** Nothing says which rows are wanted: nothing is searched and no table is made. */
  readonly isEmpty?: true;
  /** The prompt is no request for rows: it is answered from the record of the conversation. */
  readonly isNoRequest?: true;
  /** Question that must be answered before anything can be done, as a sentence for the customer; only where `isEmpty`. */
  readonly question?: string | undefined;
  /** The rows of a table before, which are filtered, sorted and added to; absent where the source is searched. */
  readonly within?: RowsBefore | undefined;
  readonly source: PlanSource;
  readonly entity: Entity;
  /** Rows wanted; null means every match. */
  readonly count: number | null;
  /** Rows that the table gets at most. */
  readonly limit: number;
  /** Conditions on the company, for rows of either entity. Empty where the source is a table. */
  readonly companies: CompanyQuery;
  /** Conditions on the person; `not` as in the directory's queries. Empty where rows are companies. */
  readonly people: PersonFilters & { readonly not?: readonly PersonFilters[] };
  /** Most people of one company; null means no cap. */
  readonly per_company: number | null;
  /**
   * Every stated filter as a check on one row. For a table these are the query; for the directory they read the
   * attributes of `recordValues` and repeat `companies` and `people`, so that an answer can be checked.
   */
  readonly predicates: readonly Predicate[];
  readonly sort: DirectorySort | null;
  readonly table_sort: TableSort | null;
  readonly columns: readonly PlanColumn[];
  readonly criteria: readonly Criterion[];
  readonly table: { readonly key: string; readonly name: string };
  /** Assumptions, each one readable sentence. */
  readonly notes: readonly string[];
  /** Fragments of the prompt that carry meaning and became nothing. */
  readonly notUnderstood: readonly string[];
}
