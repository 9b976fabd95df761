import type { Entity } from '@quarry/plan';
import { departmentName, memberOf } from '@quarry/vocabulary';
import type { Condition } from './condition.js';
import { Draft } from './draft.js';
import { isContent } from './fragments.js';
import { BackReference } from './grammar/back-reference.js';
import { listingOf } from './grammar/column-list.js';
import { ColumnReader } from './grammar/column-reader.js';
import { wholeBefore } from './grammar/exception.js';
import { leaderOfEach } from './grammar/leader-of-each.js';
import { relationWithObjects } from './grammar/relation.js';
import { Scope } from './grammar/scope.js';
import { Sentence } from './grammar/sentence.js';
import { Wording } from './grammar/wording.js';
import type { Meaning, MeaningOf, MeaningType, Span } from './meaning.js';
import type { Reading } from './recogniser.js';
import type { Token } from './token.js';

type Handlers = { readonly [T in MeaningType]: (span: Span, meaning: MeaningOf<T>, index: number) => void };

/** Pronouns for a row noun: "except those in Boston with 50 staff". */
const PRONOUNS = new Set(['those', 'these', 'them', 'ones']);

/**
 * Reads the spans of a prompt from left to right and determines their role: positive or excluded, filter or criterion,
 * about the person or the company. The handlers decide which unit of the grammar a span affects and which others it ends.
 * `Sentence` holds the state of a sentence; `Scope` continues until another noun changes it, also across sentences;
 * `Wording` records the words that were not understood.
 */
export class Interpreter {
  private readonly draft = new Draft();
  private readonly wording: Wording;
  private readonly sentence: Sentence;
  private readonly scope: Scope;
  private readonly columnReader: ColumnReader;
  private readonly backReference: BackReference;
  /** First token that has not been read. */
  private next = 0;

  constructor(
    prompt: string,
    private readonly reading: Reading,
    private readonly spans: readonly Span[],
  ) {
    this.wording = new Wording(prompt, reading.tokens);
    this.sentence = new Sentence(reading, this.wording, this.draft);
    this.scope = new Scope(reading, spans, this.draft.entities);
    this.backReference = new BackReference(reading, spans, this.wording, this.draft);
    this.columnReader = new ColumnReader(reading, this.wording, this.sentence);
  }

  /** @returns the content of the prompt, with every lost fragment listed */
  read(): Draft {
    this.spans.forEach((span, index) => {
      // This span is an object of a relation.
      if (span.start < this.next) return;
      this.readTokens(span.start);
      this.next = span.end;
      this.readSpan(span, index);
    });
    this.readTokens(this.reading.tokens.length);
    this.sentence.end();
    this.draft.notUnderstood.push(...this.wording.lostFragments(this.spans));
    return this.draft;
  }

  /** Reads the tokens before `end` that are outside all spans. */
  private readTokens(end: number): void {
    for (; this.next < end; this.next += 1) this.readToken(this.reading.tokens[this.next] as Token);
  }

  private readToken(token: Token): void {
    if (token.kind === 'break') return this.sentence.end();
    if (token.folded === 'with') this.sentence.readWith(this.next);
    if (token.folded === 'ones') this.sentence.negation.readNoun();
    if (!isContent(token)) return;
    this.wording.lose({ start: this.next, end: this.next + 1 });
    this.sentence.readUnknownWord();
  }

  private readSpan(span: Span, index: number): void {
    const handler = this.handlers[span.meaning.type] as (span: Span, meaning: Meaning, index: number) => void;
    handler(span, span.meaning, index);
  }

  private readonly handlers: Handlers = {
    condition: (span, { condition, entity, note, isAdjective }, index) => {
      if (entity && this.sentence.isFilter) this.draft.entities.push(entity);
      if (note) this.draft.notes.push(note);
      if (condition.on === 'roles') this.backReference.readTheir(span);
      if (condition.on === 'roles' && this.sentence.isHiring)
        return this.sentence.stateOpenPosition(span, condition.roles);
      const scope = this.scope.ofCondition(condition, index);
      this.sentence.state(span, this.ofEach(span, condition), scope, isAdjective);
    },
    field: (span, meaning, index) => this.readField(span, meaning, index),
    hiring: (span) => this.sentence.stateHiring(span),
    entity: (_span, { entity }) => this.readEntity(entity),
    scope: (span, { of }, index) => {
      const cue = this.reading.words.slice(span.start, span.end).join(' ');
      this.scope.readCue(cue, of, index);
      // "At", "working at": a new employer. Other prepositions may be part of a list.
      if (of !== 'company' || !cue.endsWith('at')) return;
      this.sentence.statements.unjoin();
      this.sentence.negation.readEmployer(this.sentence.statements.previous);
    },

    conjunction: ({ start }, { word }) => {
      const isComma = this.reading.words[start] === ',';
      if (isComma) this.sentence.effect.readComma();
      this.sentence.statements.join(word, isComma);
    },
    negation: (span, { reach }) => {
      this.sentence.ruleOut(reach);
      if (this.isPronoun(span)) this.sentence.negation.readNoun();
    },
    exception: (span, _meaning, index) => this.readException(span, index),
    effect: (span, { effect }) => this.readEffect(span, effect),

    column: (span, meaning) => {
      const { sort } = this.draft;
      this.columnReader.read(span, meaning);
      if (this.draft.sort !== sort) this.draft.phrases.order ??= this.wording.textOf(span);
    },
    column_lead: ({ start, end }) => {
      this.sentence.columns.open(listingOf(this.reading.words.slice(start, end).join(' ')));
      this.sentence.statements.join('and');
      this.sentence.negation.end();
    },
    table_column: (span, meaning, index) => {
      const noun = this.columnReader.rowNounAt(span);
      if (noun) return this.readEntity(noun);
      this.columnReader.readOfTable(span, meaning, this.spans[index + 1]);
    },
    sort: (span, { sort }) => {
      const cue = this.reading.words.slice(span.start, span.end).join(' ');
      if (!this.sentence.sort.set(sort, cue)) return this.wording.lose(span);
      this.draft.phrases.order ??= this.wording.textOf(span);
    },
    sort_lead: () => {
      this.sentence.sort.isExpected = true;
    },
    direction: (span, { direction }) => {
      if (!this.sentence.sort.setDirection(direction)) this.wording.lose(span);
    },
    table_sort: (span, { sort }) => {
      this.draft.tableSort = sort;
      this.draft.phrases.order = this.wording.textOf(span);
    },

    count: (span, meaning) => this.readCount(span, meaning),
    per_company: (span, { value, unread }) => {
      this.draft.perCompany = value;
      if (unread) this.wording.lose(unread);
      this.draft.phrases.perCompany = this.wording.textOf(span);
    },
    top: (span) => {
      this.draft.isTop = true;
      this.draft.phrases.order ??= this.wording.textOf(span);
    },
    table_name: (span, { name }) => {
      this.draft.tableName = name;
      this.draft.phrases.tableName = this.wording.textOf(span);
    },
    follow_up: (span, _meaning, index) => {
      if (this.isPronoun(span)) this.sentence.negation.readNoun();
      this.backReference.readFollowUp(span, index);
    },

    relation: (_span, _meaning, index) => {
      for (const span of relationWithObjects(this.reading, this.spans, index)) {
        this.wording.lose(span);
        this.next = span.end;
      }
    },
    unsupported: (span) => this.wording.lose(span),
    filler: () => undefined,
  };

  /** Reads "With their heads of marketing", if the rows are companies and no other role is named. */
  private ofEach({ start, end }: Span, condition: Condition): Condition {
    if (condition.on !== 'roles' || this.reading.words[start - 1] !== 'their' || !this.sentence.isFilter)
      return condition;
    const isOnly = this.spans.filter(({ meaning }) => isRole(meaning)).length === 1;
    if (!isOnly || this.draft.entities.includes('person')) return condition;
    const leader = leaderOfEach(condition.roles, this.wording.textOf({ start: start - 1, end }));
    if (!leader) return condition;
    this.draft.perCompany ??= 1;
    this.draft.phrases.perCompany ??= this.wording.textOf({ start: start - 1, end });
    this.draft.notes.push(leader.note);
    return { on: 'roles', roles: [leader.role] };
  }

  /** Reads "Sales": an open position, the department of the previous role or of a person to find, or an industry. */
  private readField(span: Span, meaning: MeaningOf<'field'>, index: number): void {
    const { department, industryIds, name } = meaning;
    const role = memberOf({ id: department, name: departmentName(department) });
    if (this.sentence.isHiring) return this.sentence.stateOpenPosition(span, [role]);
    const mayComplete = !this.scope.isCompany && !this.sentence.negation.isOpen;
    const textTo = (start: number): string => this.wording.textOf({ start, end: span.end });
    if (mayComplete && this.sentence.statements.completeRole(department, textTo)) return;
    const scope = this.scope.ofField(meaning, index);
    if (scope === null) return this.wording.lose(span);
    if (scope === 'person') return this.sentence.state(span, { on: 'roles', roles: [role] }, scope);
    this.sentence.state(span, { on: 'industries', ids: industryIds, name }, scope);
  }

  private readEntity(entity: Entity): void {
    this.sentence.negation.readNoun();
    if (!this.sentence.isFilter) return;
    if (entity === 'company' && this.sentence.isHiring) return;
    // "Companies with a person …": only the first noun determines the entity, unless people come first.
    this.draft.entities.push(entity);
    this.scope.readNoun(entity);
    this.sentence.columns.close();
  }

  /**
   * Reads "All companies but banks". Within an exclusion it would be an exception to an exception, which no query can
   * express.
   */
  private readException(span: Span, index: number): void {
    const whole = wholeBefore(this.reading, this.spans, index);
    // "No companies but banks", "not small but large".
    if (!whole) return this.sentence.negation.readLostItem();
    if (!this.sentence.isFilter) return this.wording.lose(span);
    if (whole.isOfPeople) this.draft.entities.unshift('person');
    this.sentence.ruleOut('clause');
    if (whole.isBare) this.sentence.negation.endsAtEmployer = true;
  }

  private isPronoun({ end }: Span): boolean {
    return PRONOUNS.has(this.reading.words[end - 1] ?? '');
  }

  /** Reads an effect: "Ideally B2B" applies to what follows; "B2B preferred" to what precedes. */
  private readEffect({ start, end }: Span, effect: MeaningOf<'effect'>['effect']): void {
    const { statements, negation, columns } = this.sentence;
    const follows = this.reading.tokens[end];
    const isLast = follows === undefined || follows.kind === 'break' || follows.folded === ',';
    if (isLast && statements.qualifyPrevious(start, effect)) return;
    const isMidSentence = statements.previous !== null || this.draft.wanted.length > 0;
    this.sentence.effect.begin(effect, end, isMidSentence);
    negation.end();
    columns.close();
  }

  private readCount(span: Span, { value, note }: MeaningOf<'count'>): void {
    const isSecond = this.draft.count != null && value !== null;
    if (!this.sentence.isFilter || isSecond) return this.wording.lose(span);
    if (value !== null) this.draft.phrases.count = this.wording.textOf(span);
    // "all 50 companies": the number takes precedence over the word.
    if (value !== null || this.draft.count === undefined) this.draft.count = value;
    if (note) this.draft.notes.push(note);
  }
}

function isRole(meaning: Meaning): boolean {
  return meaning.type === 'condition' && meaning.condition.on === 'roles';
}
