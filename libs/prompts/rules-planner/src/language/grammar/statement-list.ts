import type { QualificationEffect } from '@quarry/dto';
import { departmentName, placeContains, type DepartmentId } from '@quarry/vocabulary';
import type { Condition } from '../condition.js';
import type { Statement } from '../draft.js';
import { isContent } from '../fragments.js';
import type { Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';

/** Connection of the next statement with the previous one. */
export interface Coordination {
  /** The last statement of this sentence. */
  readonly previous: Statement | null;
  /** Conjunction since then; null when there was none, or when something else came in between. */
  readonly joined: 'and' | 'or' | null;
  /** True when the last conjunction of this sentence was a comma without a word. */
  readonly isComma: boolean;
}

/**
 * Statements of a prompt in order, and the connection of the next one with the last one. Words about the previous statement
 * change it here: "preferred", a department after a role, a state after a city.
 */
export class StatementList implements Coordination {
  joined: Coordination['joined'] = null;
  isComma = false;
  private last: { readonly statement: Statement; readonly start: number; readonly end: number } | null = null;

  /** @param statements list that only this class changes */
  constructor(
    private readonly reading: Reading,
    private readonly statements: Statement[],
  ) {}

  get previous(): Statement | null {
    return this.last?.statement ?? null;
  }

  /** @returns whether the last statement ends directly before a token */
  endsAt(at: number): boolean {
    return this.last?.end === at;
  }

  join(word: 'and' | 'or', isComma = this.isComma): void {
    this.joined = word;
    this.isComma = isComma;
  }

  /** Separates the next statement from the one before. */
  unjoin(): void {
    this.joined = null;
  }

  add({ start, end }: Span, statement: Statement): void {
    this.statements.push(statement);
    this.last = { statement, start, end };
    this.joined = null;
  }

  endSentence(): void {
    this.last = null;
    this.joined = null;
    this.isComma = false;
  }

  /** Applies an effect to the statement that ends at `at`, if there is one: "B2B preferred". */
  qualifyPrevious(at: number, effect: QualificationEffect): boolean {
    if (!this.last || !this.isAdjacent(this.last.end, at)) return false;
    this.changeLast({ ...this.last.statement, effect });
    return true;
  }

  /** "Decision makers in procurement": gives the role before, when it names no department, this one. @param textTo gives the words from a token to the department's end */
  completeRole(department: DepartmentId, textTo: (start: number) => string): boolean {
    if (this.last?.statement.condition.on !== 'roles' || this.joined !== null) return false;
    const [role] = this.last.statement.condition.roles;
    if (!role || role.departments.length > 0) return false;
    const narrowed = {
      ...role,
      name: `${role.name} in ${departmentName(department)}`,
      departments: [department],
    };
    const text = textTo(this.last.start);
    this.changeLast({ ...this.last.statement, text, condition: { on: 'roles', roles: [narrowed] } });
    return true;
  }

  /**
   * Reads "Paris, Texas": a city and, after a comma, a state or country that does not contain it. The city is removed,
   * because neither part is what was meant.
   * @returns the first token of the address; null when it is not an address, or a known one
   */
  retractUnknownAddress({ start, end }: Span, condition: Condition): number | null {
    if (!this.last || condition.on !== 'places' || !this.isComma || this.joined === null) return null;
    const before = this.last.statement.condition;
    const city = before.on === 'places' ? before.places[0] : undefined;
    const [outer] = condition.places;
    if (city?.kind !== 'city' || !outer || !['state', 'country'].includes(outer.kind)) return null;
    const isList =
      /^(,|and|or|&|\/)$/.test(this.reading.words[end] ?? '') ||
      this.statements.at(-2)?.condition.on === 'places';
    if (isList || start !== this.last.end + 1 || placeContains(outer, city)) return null;
    const first = this.last.start;
    this.statements.pop();
    this.last = null;
    return first;
  }

  private changeLast(statement: Statement): void {
    this.statements[this.statements.length - 1] = statement;
    if (this.last) this.last = { ...this.last, statement };
  }

  private isAdjacent(from: number, to: number): boolean {
    return this.reading.tokens.slice(from, to).every((token) => token.kind === 'word' && !isContent(token));
  }
}
