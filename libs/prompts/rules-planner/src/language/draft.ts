import type { Entity, TableSort } from '@quarry/plan';
import type { QualificationEffect } from '@quarry/dto';
import type { DirectorySort } from '@quarry/directory';
import type { Condition } from './condition.js';

/** Condition with its position and role in the prompt. */
export interface Statement {
  readonly condition: Condition;
  /** Entity that the statement is about: the company or the person. */
  readonly scope: Entity;
  /** Group number: statements with the same number are excluded together; null for a positive statement. */
  readonly exclusion: number | null;
  /** Null for a filter; otherwise rows are only evaluated by it. */
  readonly effect: QualificationEffect | null;
  /** Conjunction with the previous statement. */
  readonly joined: 'and' | 'or' | null;
  /** True for "German" in "German companies". */
  readonly isAdjective: boolean;
  /** The words of the prompt. */
  readonly text: string;
}

/** Requested column as the prompt names it. */
export interface WantedAttribute {
  readonly attribute: string;
  readonly isRequired: boolean;
  readonly text: string;
}

/** Criterion that could not be converted to a check. */
export interface OpenCriterion {
  readonly text: string;
  readonly effect: QualificationEffect;
}

/** Result of the grammar for a prompt, before it is applied to a source. */
export class Draft {
  statements: Statement[] = [];
  wanted: WantedAttribute[] = [];
  openCriteria: OpenCriterion[] = [];
  entities: Entity[] = [];
  /** Undefined when the prompt contains no number; null for "all". */
  count: number | null | undefined = undefined;
  perCompany: number | null = null;
  sort: DirectorySort | null = null;
  tableSort: TableSort | null = null;
  /** Columns of the named table that the prompt lists. */
  tableColumns: Array<{ readonly key: string; readonly text: string }> = [];
  isTop = false;
  tableName: string | null = null;
  isFollowUp = false;
  /** Reference such as "these companies" or "their CEOs" to rows that this prompt does not describe itself. */
  backReference: { readonly entity: Entity; readonly text: string } | null = null;
  /** Words of the items that occur at most once in a prompt. */
  readonly phrases: { count?: string; perCompany?: string; order?: string; tableName?: string } = {};
  notes: string[] = [];
  notUnderstood: string[] = [];
}

/** @returns the order that a prompt states, or implies with "top" */
export function orderOf({ sort, isTop }: Draft): DirectorySort | null {
  return sort ?? (isTop ? { by: 'headcount', direction: 'descending' } : null);
}

/** @returns exclusions in groups: a row is excluded only when it matches all statements of one group */
export function exclusionGroups<T>(items: readonly T[], statementOf: (item: T) => Statement): T[][] {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const { exclusion } = statementOf(item);
    if (exclusion !== null) groups.set(exclusion, [...(groups.get(exclusion) ?? []), item]);
  }
  return [...groups.values()];
}
