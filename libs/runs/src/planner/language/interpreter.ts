import type { QualificationEffect } from '@quarry/dto';
import {
  departmentName,
  DIRECTORY_SORT_FIELDS,
  memberOf,
  placeContains,
  type DirectorySort,
} from '@quarry/providers';
import type { Entity } from '../run-plan.js';
import type { Condition } from './condition.js';
import { emptyDraft, type Draft, type Statement } from './draft.js';
import { fragmentsOf, isContent } from './fragments.js';
import type { Meaning, MeaningType, Span } from './meaning.js';
import type { Reading } from './recogniser.js';

type MeaningOf<T extends MeaningType> = Extract<Meaning, { type: T }>;
type Handlers = { readonly [T in MeaningType]: (span: Span, meaning: MeaningOf<T>, index: number) => void };

/** Prepositions that speak of the company only when a company stands behind them: "people from Spain" are people. */
const WEAK_SCOPES = new Set([
  'of',
  'for',
  'from',
  'within',
  'inside',
  'working in',
  'who work in',
  'work in',
  'run',
  'running',
]);
const MEASURES = new Set<Condition['on']>(['headcount', 'founded', 'revenue_usd']);
const SORTABLE = new Map<string, DirectorySort['by']>(DIRECTORY_SORT_FIELDS.map((field) => [field, field]));

/**
 * Reads the spans of a prompt from left to right and says what each means where it stands: wanted or ruled out,
 * filter or criterion, of the person or of the company. Its state is what an attentive reader keeps in mind:
 * `negation` → until the things listed after it end; `effect` → until the sentence ends; `scope` → until another
 * noun takes over; `columnMode` → while columns are being listed.
 */
export class Interpreter {
  private readonly draft: Draft = emptyDraft();
  private readonly lost = new Set<number>();
  private negation: { reach: 'item' | 'clause'; group: number; isOpen: boolean; hasNoun: boolean } | null =
    null;
  private exclusions = 0;
  private effect: QualificationEffect | null = null;
  private scope: Entity | null = null;
  private joined: 'and' | 'or' | null = null;
  private isComma = false;
  /** An effect in the middle of a sentence ends with its item; one that opens the sentence rules all of it. */
  private effectEndsAtComma = false;
  private isColumnMode = false;
  private isSortMode = false;
  private isHiringMode = false;
  private previous: Statement | null = null;
  private previousStart = -1;
  private previousEnd = -1;
  private effectStart = 0;

  constructor(
    private readonly prompt: string,
    private readonly reading: Reading,
    private readonly spans: readonly Span[],
  ) {}

  /** @returns what the prompt says, with every lost fragment named. */
  read(): Draft {
    let token = 0;
    this.spans.forEach((span, index) => {
      for (; token < span.start; token += 1) this.readToken(token);
      if (token > span.start) return;
      this.readSpan(span, index);
      token = Math.max(span.end, this.skipTo);
    });
    for (; token < this.reading.tokens.length; token += 1) this.readToken(token);
    this.endSentence();
    this.draft.notUnderstood.push(...fragmentsOf(this.prompt, this.reading.tokens, this.lost, this.spans));
    return this.draft;
  }

  /** End of a relation that swallowed the spans after it. */
  private skipTo = 0;

  private readToken(index: number): void {
    const token = this.reading.tokens[index];
    if (!token) return;
    if (token.kind === 'break') return this.endSentence();
    if (token.kind === 'mark') return;
    if (token.folded === 'with') {
      this.isColumnMode = true;
      if (this.negation && !this.negation.hasNoun && this.previous?.exclusion === this.negation.group)
        this.negation = null;
    }
    if (!isContent(token)) return;
    this.lost.add(index);
    this.isColumnMode = false;
    this.isSortMode = false;
    if (this.negation?.reach === 'item') this.negation = null;
    else if (this.negation) this.negation.isOpen = false;
  }

  private readSpan(span: Span, index: number): void {
    const handler = this.handlers[span.meaning.type] as (span: Span, meaning: Meaning, index: number) => void;
    handler(span, span.meaning, index);
  }

  private readonly handlers: Handlers = {
    condition: (span, meaning, index) => {
      if (meaning.entity && !this.negation && !this.effect) this.draft.entities.push(meaning.entity);
      if (meaning.note) this.draft.notes.push(meaning.note);
      if (this.readHiringIn(span, meaning.condition)) return;
      this.state(span, meaning.condition, this.scopeOf(meaning, index), meaning.isAdjective ?? false);
    },
    field: (span, meaning, index) => this.readField(span, meaning, index),
    entity: (_span, { entity }, index) => this.readEntity(entity, index),
    count: (span, { value, note }) => {
      if (this.negation || this.effect) return this.lose(span);
      if (this.draft.count != null && value !== null) return this.lose(span);
      // "all 50 companies": the number says more than the word.
      if (value !== null || this.draft.count === undefined) this.draft.count = value;
      if (note) this.draft.notes.push(note);
    },
    per_company: (_span, { value }) => {
      this.draft.perCompany = value;
    },
    column: (span, meaning) => this.readColumn(span, meaning),
    column_lead: () => {
      this.isColumnMode = true;
      this.joined = 'and';
      this.negation = null;
    },
    sort: (_span, { sort }) => {
      this.draft.sort ??= sort;
      this.isSortMode = false;
    },
    table_column: (span, { key }) => {
      // "With headquarters in Ireland" speaks of a value; in a list the next word is a comma, "and" or the end.
      const next = this.reading.tokens[span.end];
      const isListed = !next || next.kind === 'break' || [',', 'and', '&'].includes(next.folded);
      if (this.isColumnMode && isListed) this.draft.tableColumns.push(key);
      this.joined = null;
    },
    table_sort: (_span, { sort }) => {
      this.draft.tableSort = sort;
    },
    sort_lead: () => {
      this.isSortMode = true;
    },
    direction: (_span, { direction }) => {
      if (this.draft.sort) this.draft.sort = { ...this.draft.sort, direction };
    },
    top: () => {
      this.draft.isTop = true;
    },
    effect: (span, { effect }, index) => this.readEffect(span, effect, index),
    negation: (_span, { reach }) => {
      this.exclusions += 1;
      this.negation = { reach, group: this.exclusions, isOpen: true, hasNoun: false };
      this.joined = null;
      this.isColumnMode = false;
    },
    conjunction: (span, { word }) => {
      this.isComma = this.reading.words[span.start] === ',';
      if (this.isComma && this.effectEndsAtComma) this.endEffect();
      this.joined = word;
      if (this.negation) this.negation.isOpen = this.negation.reach === 'clause' || this.negation.isOpen;
    },
    scope: (span, { of }, index) => {
      const words = this.reading.words.slice(span.start, span.end).join(' ');
      if (of === 'person' || !WEAK_SCOPES.has(words) || this.isCompanyAhead(index + 1)) this.scope = of;
      if (of === 'company' && words.endsWith('at') && !WEAK_SCOPES.has(words)) this.joined = null;
    },
    hiring: (span) => {
      this.state(span, { on: 'is_hiring', value: true }, 'company');
      this.isHiringMode = true;
    },
    table_name: (_span, { name }) => {
      this.draft.tableName = name;
    },
    follow_up: () => {
      this.draft.isFollowUp = true;
    },
    relation: (span, _meaning, index) => this.loseRelation(span, index),
    unsupported: (span) => this.lose(span),
    filler: () => undefined,
  };

  private state(span: Span, condition: Condition, scope: Entity, isAdjective = false): void {
    if (this.isUnknownAddress(span, condition)) return this.loseAddress(span);
    const exclusion = this.exclusionFor(condition);
    const statement: Statement = {
      condition,
      scope,
      exclusion,
      effect: this.effect,
      joined: this.joined,
      isAdjective,
      text: this.textOf(span.start, span.end),
    };
    this.draft.statements.push(statement);
    if (condition.on === 'roles' && exclusion === null && !this.effect) this.draft.entities.push('person');
    this.previous = statement;
    this.previousStart = span.start;
    this.previousEnd = span.end;
    this.joined = null;
    this.isColumnMode = false;
    this.isHiringMode = false;
    this.isSortMode = false;
  }

  /** "Paris, Texas": a city and, after a mere comma, a state or country that it does not lie in. */
  private isUnknownAddress(span: Span, condition: Condition): boolean {
    const before = this.previous?.condition;
    if (condition.on !== 'places' || before?.on !== 'places' || !this.isComma || this.joined === null)
      return false;
    const [city] = before.places;
    const [outer] = condition.places;
    if (city?.kind !== 'city' || !outer || !['state', 'country'].includes(outer.kind)) return false;
    const isList =
      /^(,|and|or|&|\/)$/.test(this.reading.words[span.end] ?? '') ||
      this.draft.statements.at(-2)?.condition.on === 'places';
    return !isList && span.start === this.previousEnd + 1 && !placeContains(outer, city);
  }

  private loseAddress(span: Span): void {
    this.draft.statements.pop();
    for (let index = this.previousStart; index < span.end; index += 1) this.lost.add(index);
    this.previous = null;
  }

  /** Decides whether a condition is still under the negation, and to which group of exclusions it belongs. */
  private exclusionFor(condition: Condition): number | null {
    const { negation, previous } = this;
    if (!negation) return null;
    if (previous?.exclusion !== negation.group) return negation.group;
    const isSameKind = subjectOf(previous.condition) === subjectOf(condition);
    if (this.joined === null && negation.reach === 'clause') return negation.group;
    if (this.joined !== null && isSameKind) return negation.group;
    // "Excluding agencies, between 10 and 50 staff": after a mere comma a measure starts anew.
    const startsAnew = this.isComma && isMeasure(condition);
    if (this.joined !== null && negation.reach === 'clause' && !startsAnew) {
      this.exclusions += 1;
      negation.group = this.exclusions;
      return negation.group;
    }
    this.negation = null;
    return null;
  }

  private scopeOf(meaning: MeaningOf<'condition'>, index: number): Entity {
    const { on } = meaning.condition;
    if (on === 'roles') return 'person';
    if (on !== 'places' && on !== 'names') return 'company';
    if (this.scope !== null)
      return this.scope === 'company' || this.isCompanyAhead(index + 1) ? 'company' : 'person';
    return this.isCompanyAhead(index + 1) || !this.hasPerson() ? 'company' : 'person';
  }

  /** True when the nouns that follow without a preposition end in a company: "German fintech companies". */
  private isCompanyAhead(from: number): boolean {
    for (let index = from; index < this.spans.length; index += 1) {
      const span = this.spans[index] as Span;
      const before = this.spans[index - 1];
      if (before && index > from - 1 && this.hasGap(before.end, span.start)) return false;
      const { meaning } = span;
      if (meaning.type === 'entity') return meaning.entity === 'company';
      if (meaning.type === 'condition') {
        const { on } = meaning.condition;
        if (on === 'roles') return false;
        if (on !== 'places') return true;
      } else if (meaning.type === 'field') return this.scope === 'company' || meaning.industryIds.length > 0;
      else if (!['conjunction', 'count', 'sort', 'top'].includes(meaning.type)) return false;
    }
    return false;
  }

  /** Between two spans stands a break or a preposition, so that they are not one noun phrase. */
  private hasGap(from: number, to: number): boolean {
    return this.reading.tokens
      .slice(from, to)
      .some(
        ({ kind, folded }) =>
          kind === 'break' || /^(in|with|that|which|who|on|to|by|based|whose|near)$/.test(folded),
      );
  }

  private hasPerson(): boolean {
    return (
      this.draft.entities.includes('person') ||
      this.draft.statements.some(
        ({ condition, exclusion, effect }) => condition.on === 'roles' && exclusion === null && !effect,
      )
    );
  }

  private readField(span: Span, meaning: MeaningOf<'field'>, index: number): void {
    const { department, industryIds, name } = meaning;
    const roles = {
      on: 'roles',
      roles: [memberOf({ id: department, name: departmentName(department) })],
    } as const;
    if (this.readHiringIn(span, roles) || this.completesRole(meaning)) return;
    const after = this.spans[index + 1];
    const isBeforeCompany = after?.meaning.type === 'entity' && after.meaning.entity === 'company';
    const isDepartment = this.hasPerson() && this.scope !== 'company' && !isBeforeCompany;
    if (isDepartment) return this.state(span, roles, 'person');
    if (industryIds.length > 0)
      return this.state(span, { on: 'industries', ids: industryIds, name }, 'company');
    if (this.isPersonNear(index)) return this.state(span, roles, 'person');
    this.lose(span);
  }

  /** "Decision makers in procurement": a department after a level without one. */
  private completesRole({ department }: MeaningOf<'field'>): boolean {
    const { previous, draft } = this;
    if (previous?.condition.on !== 'roles' || this.joined !== null || this.scope === 'company') return false;
    const [role] = previous.condition.roles;
    if (!role || role.departments.length > 0) return false;
    const narrowed = {
      ...role,
      name: `${role.name} in ${departmentName(department)}`,
      departments: [department],
    };
    this.previous = { ...previous, condition: { on: 'roles', roles: [narrowed] } };
    draft.statements[draft.statements.length - 1] = this.previous;
    return true;
  }

  private isPersonNear(index: number): boolean {
    const after = this.spans[index + 1]?.meaning;
    return after?.type === 'entity' && after.entity === 'person';
  }

  /** "Hiring for sales roles": the role is an open position, not a person to find. */
  private readHiringIn(span: Span, condition: Condition): boolean {
    if (!this.isHiringMode || condition.on !== 'roles') return false;
    const ids = condition.roles.flatMap(({ departments }) => departments);
    if (ids.length === 0) this.lose(span);
    else {
      this.draft.notes.push(
        `“${this.textOf(span.start, span.end)}” was read as open positions in that department.`,
      );
      this.state(span, { on: 'hiring_departments', ids }, 'company');
    }
    this.isHiringMode = true;
    return true;
  }

  private readEntity(entity: Entity, index: number): void {
    if (this.negation) this.negation.hasNoun = true;
    if (this.negation || this.effect) return;
    if (entity === 'company' && this.isHiringMode) return;
    // "Companies with a person …": only the first noun says what a row is, unless people come first.
    this.draft.entities.push(entity);
    if (entity === 'company' && this.hasPerson() && index > 0) this.scope = 'company';
    this.isColumnMode = false;
  }

  private readColumn(span: Span, { attribute, isCertain }: MeaningOf<'column'>): void {
    if (this.isSortMode) return this.readSortField(span, attribute);
    if (this.negation) return this.lose(span);
    const isListed = this.isColumnMode || (this.joined !== null && this.draft.wanted.length > 0);
    if (!isListed && !isCertain) return;
    this.draft.wanted.push({
      attribute,
      isRequired: this.effect === 'require',
      text: this.textOf(span.start, span.end),
    });
    this.isColumnMode = true;
    this.joined = null;
  }

  private readSortField(span: Span, attribute: string): void {
    const by = SORTABLE.get(attribute === 'full_name' ? 'name' : attribute);
    this.isSortMode = false;
    if (!by) return this.lose(span);
    // Sizes are looked at from the largest down, years and names from the first on.
    const isSize = by === 'headcount' || by === 'revenue_usd';
    this.draft.sort = { by, direction: isSize ? 'descending' : 'ascending' };
  }

  /** "Ideally B2B" looks forward; "B2B preferred" looks back. */
  private readEffect(span: Span, effect: QualificationEffect, index: number): void {
    const follows = this.reading.tokens[span.end];
    const isLast = follows === undefined || follows.kind === 'break' || follows.folded === ',';
    const { statements } = this.draft;
    if (isLast && this.previous && this.isAdjacent(this.previousEnd, span.start) && index > 0) {
      statements[statements.length - 1] = { ...this.previous, effect };
      return;
    }
    this.effect = effect;
    this.effectEndsAtComma = this.previous !== null || this.draft.wanted.length > 0;
    this.effectStart = span.end;
    this.negation = null;
    this.isColumnMode = false;
  }

  private isAdjacent(from: number, to: number): boolean {
    return this.reading.tokens.slice(from, to).every((token) => token.kind === 'word' && !isContent(token));
  }

  private loseRelation(span: Span, index: number): void {
    this.lose(span);
    let end = span.end;
    for (let next = index + 1; next < this.spans.length; next += 1) {
      const follower = this.spans[next] as Span;
      const between = this.reading.tokens.slice(end, follower.start);
      const isCut = between.some(
        ({ kind, folded }) => kind === 'break' || folded === 'with' || folded === 'in',
      );
      const isObject = ['condition', 'field', 'entity'].includes(follower.meaning.type);
      if (isCut || !isObject) break;
      for (let at = follower.start; at < follower.end; at += 1) this.lost.add(at);
      end = follower.end;
    }
    this.skipTo = end;
  }

  private lose(span: Span): void {
    for (let index = span.start; index < span.end; index += 1) this.lost.add(index);
  }

  private endSentence(): void {
    this.endEffect();
    this.negation = null;
    this.joined = null;
    this.isColumnMode = false;
    this.isSortMode = false;
    this.isHiringMode = false;
    this.isComma = false;
    this.previous = null;
  }

  private endEffect(): void {
    if (this.effect) this.closeCriterion(this.effect);
    this.effect = null;
    this.effectEndsAtComma = false;
  }

  /** A criterion whose words gave no check stays as words, so that rows are judged "unknown" by it. */
  private closeCriterion(effect: QualificationEffect): void {
    const lost = [...this.lost].filter((index) => index >= this.effectStart);
    if (lost.length === 0) return;
    const text = this.textOf(Math.min(...lost), Math.max(...lost) + 1);
    this.draft.openCriteria.push({ text, effect });
  }

  private textOf(start: number, end: number): string {
    return this.prompt.slice(this.reading.tokens[start]?.start, this.reading.tokens[end - 1]?.end);
  }
}

/** What a condition is about: a list of alternatives goes on only with more of the same. */
function subjectOf(condition: Condition): string {
  return condition.on === 'column' ? `column ${condition.predicate.column_keys.join()}` : condition.on;
}

function isMeasure(condition: Condition): boolean {
  return condition.on === 'column'
    ? ['number', 'year', 'date'].includes(condition.predicate.test.op)
    : MEASURES.has(condition.on);
}
