import type { Entity } from '@quarry/plan';
import { listOf } from '../phrase-list.js';
import { columnsOf } from '../check.js';
import type { Condition } from '../condition.js';
import { isContent } from '../fragments.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import { entityRecogniser } from '../recognisers/cue.recogniser.js';
import type { Token } from '../token.js';
import type { Sentence } from './sentence.js';
import type { Wording } from './wording.js';

/** Column names that may introduce a condition: "headquarters in Ireland", "sector: fintech". */
const INTRODUCERS: Partial<Record<Condition['on'], RegExp>> = {
  places: /city|town|countr|state|location|headquarter|hq|address|region|place|market|territor/,
  industries: /industr|sector|vertical|field|segment|categor|business|market/,
  roles: /title|role|position|job|function/,
  names: /name|company|account|customer|owner/,
  domains: /domain|website|url|site|homepage/,
};
const INTRODUCING_GAP = new Set(listOf('in | at | from | near | is | are | the | a | : | = | within | of'));

/** Reads the role of a named column: the sort order, a column to show, or nothing supported. */
export class ColumnReader {
  constructor(
    private readonly reading: Reading,
    private readonly wording: Wording,
    private readonly sentence: Sentence,
  ) {}

  /**
   * Reads a column. After "sorted by" it is the sort order; otherwise it is requested, which cannot be negated ("no e-mail").
   */
  read(span: Span, meaning: MeaningOf<'column'>): void {
    const { sort, negation, columns, statements, effect } = this.sentence;
    if (sort.isExpected) {
      if (!sort.setColumn(meaning.attribute)) this.wording.lose(span);
      return;
    }
    if (this.isRuledOut(span)) return this.lose(span);
    negation.end();
    const how = { joined: statements.joined, isRequired: effect.current === 'require' };
    if (columns.add(span, meaning, how)) statements.unjoin();
  }

  /** Returns true for "Excluding agencies, with their e-mail": "with" after a comma ends the exclusion. */
  private isBehindCommaAndWith({ start }: Span): boolean {
    const { tokens } = this.reading;
    let at = start - 1;
    while (tokens[at]?.kind === 'word' && tokens[at]?.folded !== 'with' && !isContent(tokens[at] as Token))
      at -= 1;
    return tokens[at]?.folded === 'with' && [',', 'and'].includes(tokens[at - 1]?.folded ?? '');
  }

  /**
   * Reads a column of the named table: it is shown within a list of columns, and may introduce a condition; otherwise it is
   * lost.
   * @param next the span after it
   */
  readOfTable(span: Span, meaning: MeaningOf<'table_column'>, next: Span | undefined): void {
    const { columns, statements } = this.sentence;
    if (this.isRuledOut(span)) return this.lose(span);
    const isUsed = columns.addOfTable(span, meaning, this.introduces(span, meaning, next));
    if (!isUsed && this.isNamed(span)) this.wording.lose(span);
    statements.unjoin();
  }

  /** @returns the entity of rows when the column's name is a noun for them and no column is meant */
  rowNounAt({ start, end }: Span): Entity | null {
    const noun = entityRecogniser(this.reading, start).find((span) => span.end === end);
    if (noun?.meaning.type !== 'entity' || this.sentence.columns.isListedAt(start, end)) return null;
    return noun.meaning.entity;
  }

  private isRuledOut(span: Span): boolean {
    const { negation, columns, statements } = this.sentence;
    return (negation.isOpen && !this.isBehindCommaAndWith(span)) || columns.isLost(statements.joined);
  }

  private lose(span: Span): void {
    const { negation, columns, statements } = this.sentence;
    this.wording.lose(span);
    statements.unjoin();
    columns.lose();
    negation.readLostColumn(statements.previous);
  }

  private isNamed({ start, end }: Span): boolean {
    return this.reading.tokens.slice(start, end).some(isContent);
  }

  private introduces(
    { start, end }: Span,
    { key }: MeaningOf<'table_column'>,
    next: Span | undefined,
  ): boolean {
    if (next?.meaning.type !== 'condition') return false;
    const gap = this.reading.words.slice(end, next.start);
    if (!gap.every((word) => INTRODUCING_GAP.has(word))) return false;
    const { condition } = next.meaning;
    if (condition.on === 'column') return columnsOf(condition.check).includes(key);
    const name = this.reading.words.slice(start, end).join(' ');
    return INTRODUCERS[condition.on]?.test(name) ?? false;
  }
}
