import type { Entity } from '@quarry/plan';
import type { Role } from '@quarry/vocabulary';
import type { Condition } from '../condition.js';
import type { Draft } from '../draft.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import { ColumnList } from './column-list.js';
import { Effect } from './effect.js';
import { Negation, subjectOf } from './negation.js';
import { SortOrder } from './sort-order.js';
import { StatementList } from './statement-list.js';
import type { Wording } from './wording.js';

/**
 * State of the reading until the sentence ends, and the earlier end of each part:
 * `statements` → the one before and the conjunction since; `negation` → until the things listed after it end;
 * `effect` → until its item ends; `columns` and `sort` → while columns are being named; `isHiring` → until another
 * statement.
 */
export class Sentence {
  readonly statements: StatementList;
  readonly negation = new Negation();
  readonly effect: Effect;
  readonly columns: ColumnList;
  readonly sort: SortOrder;
  private isHiringOpen = false;

  constructor(
    reading: Reading,
    private readonly wording: Wording,
    private readonly draft: Draft,
  ) {
    this.statements = new StatementList(reading, draft.statements);
    this.effect = new Effect(wording, draft.openCriteria);
    this.columns = new ColumnList(draft, wording, reading);
    this.sort = new SortOrder(draft);
  }

  /** True when the next statement is a filter: neither an exclusion nor only a criterion. */
  get isFilter(): boolean {
    return !this.negation.isOpen && this.effect.current === null;
  }

  /** True after "hiring for": a role is an open position, not a person to find. */
  get isHiring(): boolean {
    return this.isHiringOpen;
  }

  /** Adds a condition with the current negation and effect, unless it completes an unknown address. */
  state(span: Span, condition: Condition, scope: Entity, isAdjective = false): void {
    const addressStart = this.statements.retractUnknownAddress(span, condition);
    if (addressStart !== null) return this.wording.lose({ start: addressStart, end: span.end });
    const exclusion = this.negation.groupOf(condition, this.statements);
    const effect = this.effect.current;
    const { joined, previous } = this.statements;
    const isChoice = joined === 'or' && previous !== null && exclusion === null && !effect;
    // Filters on different subjects must all match, since a query has no alternatives of that kind.
    const isOfSame = previous?.scope === scope && subjectOf(previous.condition) === subjectOf(condition);
    if (isChoice && !isOfSame) this.draft.notes.push('“or” between different things was read as “and”.');
    const text = this.wording.textOf(span);
    this.statements.add(span, { condition, scope, exclusion, effect, joined, isAdjective, text });
    if (condition.on === 'roles' && exclusion === null && !effect) this.draft.entities.push('person');
    this.endNaming();
    this.isHiringOpen = false;
  }

  stateHiring(span: Span): void {
    this.state(span, { on: 'is_hiring', value: true }, 'company');
    this.isHiringOpen = true;
  }

  /** Reads "Hiring for sales roles". The roles listed after it are open positions too. */
  stateOpenPosition(span: Span, roles: readonly Role[]): void {
    const ids = roles.flatMap(({ departments }) => departments);
    if (ids.length === 0) return this.wording.lose(span);
    this.draft.notes.push(`“${this.wording.textOf(span)}” was read as open positions in that department.`);
    this.state(span, { on: 'hiring_departments', ids }, 'company');
    this.isHiringOpen = true;
  }

  ruleOut(reach: MeaningOf<'negation'>['reach']): void {
    this.negation.begin(reach);
    this.statements.unjoin();
    this.columns.close();
  }

  /**
   * Reads "with", which starts a list of columns, and ends a negation that has its item.
   * @param at its token
   */
  readWith(at: number): void {
    this.columns.open('with');
    this.negation.readWith(this.statements.previous, this.statements.endsAt(at));
  }

  readUnknownWord(): void {
    this.endNaming();
    this.negation.readLostItem();
  }

  end(): void {
    this.effect.end();
    this.negation.end();
    this.statements.endSentence();
    this.endNaming();
    this.isHiringOpen = false;
  }

  /** Ends a list of columns or "sorted by", because another kind of item followed. */
  private endNaming(): void {
    this.columns.close();
    this.sort.isExpected = false;
  }
}
