import type { Entity, TableSort } from '@quarry/plan';
import type { QualificationEffect } from '@quarry/dto';
import type { DirectorySort } from '@quarry/directory';
import type { Condition } from './condition.js';

/** A condition as it stands in the prompt. */
export interface Statement {
  readonly condition: Condition;
  /** Entity that the statement is about: the company or the person. */
  readonly scope: Entity;
  /** Statements with the same number are ruled out together; null for what is wanted. */
  readonly exclusion: number | null;
  /** Null for a filter; else the row is only judged by it. */
  readonly effect: QualificationEffect | null;
  /** Conjunction with the statement before it. */
  readonly joined: 'and' | 'or' | null;
  /** True for "German" in "German companies". */
  readonly isAdjective: boolean;
  /** The words of the prompt. */
  readonly text: string;
}

/** A wanted column as the prompt names it. */
export interface WantedAttribute {
  readonly attribute: string;
  readonly isRequired: boolean;
  readonly text: string;
}

/** A criterion in words that could not be turned into a check. */
export interface OpenCriterion {
  readonly text: string;
  readonly effect: QualificationEffect;
}

/** Result of the grammar for a prompt, before it is fitted to a source. */
export class Draft {
  statements: Statement[] = [];
  wanted: WantedAttribute[] = [];
  openCriteria: OpenCriterion[] = [];
  entities: Entity[] = [];
  /** Undefined while the prompt says nothing of a number; null for "all". */
  count: number | null | undefined = undefined;
  perCompany: number | null = null;
  sort: DirectorySort | null = null;
  tableSort: TableSort | null = null;
  /** Columns of the named table that the prompt lists. */
  tableColumns: Array<{ readonly key: string; readonly text: string }> = [];
  isTop = false;
  tableName: string | null = null;
  isFollowUp = false;
  /** "These companies", "their CEOs": rows that this prompt does not describe itself. */
  backReference: { readonly entity: Entity; readonly text: string } | null = null;
  /** The words of what stands once in a prompt. */
  readonly phrases: { count?: string; perCompany?: string; order?: string; tableName?: string } = {};
  notes: string[] = [];
  notUnderstood: string[] = [];
}

/** @returns the order that a prompt says, or means by "top" */
export function orderOf({ sort, isTop }: Draft): DirectorySort | null {
  return sort ?? (isTop ? { by: 'headcount', direction: 'descending' } : null);
}

/** @returns what is ruled out, in groups: a row falls only when it is everything that one of them says. */
export function exclusionGroups<T>(items: readonly T[], statementOf: (item: T) => Statement): T[][] {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const { exclusion } = statementOf(item);
    if (exclusion !== null) groups.set(exclusion, [...(groups.get(exclusion) ?? []), item]);
  }
  return [...groups.values()];
}
