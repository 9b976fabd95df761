import type { ColumnKind, Qualification, QualificationEffect } from '@quarry/dto';
import type { CompanyQuery, DirectorySort, PersonFilters } from '@quarry/directory';
import type { Predicate } from './predicate.js';

/**
 * Versions of stored plans that this version of the product can read. A new one is written where an agent of an earlier release
 * would misread a plan, which leaves it to a newer agent: since 3 an output may list the people of its table in their companies,
 * or have those of the companies of another table.
 */
export const RUN_PLAN_VERSIONS = [2, 3] as const;

export const ENTITIES = ['company', 'person'] as const;
export type Entity = (typeof ENTITIES)[number];

/**
 * Source of one input of a service: the key of an attribute or a column, or a constant. Texts of a constant may contain
 * keys in double braces, such as `https://{{domain}}/about`, which are replaced with the row's values.
 */
export type ServiceInput = string | { readonly value?: unknown };
/** Sources by the names of the service's inputs. */
export type ServiceInputs = Readonly<Record<string, ServiceInput>>;

export type PlanSource =
  | { readonly kind: 'directory' }
  | { readonly kind: 'table'; readonly table_id: string; readonly table_name: string }
  | {
      readonly kind: 'web';
      /** Description of the wanted rows as text. */
      readonly wanted: string;
      readonly max_credits: number;
      /** True when the table also contains disqualified rows; false with an output contract. */
      readonly keeps_disqualified: boolean;
    };

/** Source of a column's values. */
export type ColumnSource =
  | { readonly from: 'directory'; readonly attribute: string }
  | {
      readonly from: 'service';
      /** Name in the service catalogue. */
      readonly service: string;
      /** If omitted: the known data of the person, for a service that looks up people. */
      readonly inputs?: ServiceInputs | undefined;
      /** Path of the value in the output; if omitted, the service's default field. */
      readonly field?: string | undefined;
    }
  | { readonly from: 'table'; readonly column_key: string }
  /** Facts from pages about the row; `attribute`: the corresponding attribute of the directory, if there is one. */
  | { readonly from: 'web'; readonly attribute?: string | undefined }
  /** The verdict of the column's own criterion. */
  | { readonly from: 'criterion' }
  /** No source can fill it; the plan's `notUnderstood` lists it. */
  | { readonly from: 'nothing' };

export interface PlanColumn {
  readonly key: string;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  readonly qualification: Qualification;
  readonly source: ColumnSource;
}

/** Criterion by which rows are evaluated. */
export interface Criterion {
  readonly column_key: string;
  readonly criterion: string;
  readonly effect: QualificationEffect;
  /** Null when the criterion was not understood: then no row can be evaluated by it. */
  readonly test: Predicate | null;
}

export type TableSort = { readonly column_key: string; readonly direction: 'ascending' | 'descending' };

/** Rows that a follow-up works on: those that a previous run found, in the table that it created. */
export interface RowsBefore {
  readonly table_id: string;
  /** Latest run on the table: its journal contains the known data of each row. */
  readonly run_id: string;
  /** Conditions of the follow-up on the rows: rows that do not match are removed. */
  readonly checks: readonly Predicate[];
  /** Columns that must have a value, and whether its confidence must be high. */
  readonly filled: ReadonlyArray<{ readonly key: string; readonly is_sure: boolean }>;
}

/** Work of a run as plain JSON, compiled from an intent; journaled before the first step starts. */
export interface RunPlan {
  readonly version: (typeof RUN_PLAN_VERSIONS)[number];
  /** Set when no rows are described: nothing is searched and no table is created. */
  readonly isEmpty?: true;
  /** Set when the prompt is not a request for rows: it is answered from the history of the conversation. */
  readonly isNoRequest?: true;
  /** Question that must be answered before anything can be done, as a sentence for the customer; only with `isEmpty`. */
  readonly question?: string | undefined;
  /** Rows of a previous table to filter, sort and extend; absent when the source is searched. */
  readonly within?: RowsBefore | undefined;
  readonly source: PlanSource;
  readonly entity: Entity;
  /** Number of rows requested; null for all matches. */
  readonly count: number | null;
  /** Maximum number of rows of the table. */
  readonly limit: number;
  /** Conditions on the company, for rows of either entity. Empty when the source is a table. */
  readonly companies: CompanyQuery;
  /** Conditions on the person; `not` as in the directory's queries. Empty when rows are companies. */
  readonly people: PersonFilters & { readonly not?: readonly PersonFilters[] };
  /** Maximum number of people per company; null for no limit. */
  readonly per_company: number | null;
  /** Maximum number of companies that the people of the table belong to; absent for no limit. */
  readonly companies_max?: number | undefined;
  /** Index of the table of the same run whose companies the people work at; absent where they are searched by themselves. */
  readonly companies_table?: number | undefined;
  /**
   * Every requested filter as a check on one row. For a table these are the query; for the directory they read the attributes
   * of `recordValues` and repeat `companies` and `people`, so that a result can be checked.
   */
  readonly predicates: readonly Predicate[];
  readonly sort: DirectorySort | null;
  readonly table_sort: TableSort | null;
  readonly columns: readonly PlanColumn[];
  readonly criteria: readonly Criterion[];
  readonly table: { readonly key: string; readonly name: string };
  /** Assumptions, each one readable sentence. */
  readonly notes: readonly string[];
  /** Meaningful fragments of the prompt that no part of the plan uses. */
  readonly notUnderstood: readonly string[];
}
