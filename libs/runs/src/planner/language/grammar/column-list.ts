import type { Draft } from '../draft.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import type { Coordination } from './statement-list.js';
import type { Wording } from './wording.js';

interface ColumnMention extends Pick<Coordination, 'joined'> {
  readonly isRequired: boolean;
}

/**
 * Columns that a prompt wants to see. A doubtful name ("location") is one only where columns are being listed: after
 * "include" or "with", after another column, and until something else is said.
 */
export class ColumnList {
  private isOpen = false;
  private isLosing = false;

  constructor(
    private readonly draft: Pick<Draft, 'wanted' | 'tableColumns'>,
    private readonly wording: Wording,
    private readonly reading: Reading,
  ) {}

  open(): void {
    this.isOpen = true;
    this.isLosing = false;
  }

  close(): void {
    this.isOpen = false;
    this.isLosing = false;
  }

  /** "Without e-mail or phone": the columns that are listed after one that nothing can be made of are lost with it. */
  lose(): void {
    this.close();
    this.isLosing = true;
  }

  isLost(joined: ColumnMention['joined']): boolean {
    return this.isLosing && joined !== null;
  }

  /** @returns false when the word is no column here. */
  add(span: Span, { attribute, isCertain }: MeaningOf<'column'>, how: ColumnMention): boolean {
    const isListed = this.isOpen || (how.joined !== null && this.draft.wanted.length > 0);
    if (!isListed && !isCertain) return false;
    this.draft.wanted.push({ attribute, isRequired: how.isRequired, text: this.wording.textOf(span) });
    this.isOpen = true;
    return true;
  }

  /** "With headquarters in Ireland" speaks of a value; in a list the next word is a comma, "and" or the end. */
  addOfTable({ start, end }: Span, { key }: MeaningOf<'table_column'>): void {
    if (['only', 'just'].includes(this.reading.words[start - 1] ?? '')) this.isOpen = true;
    const next = this.reading.tokens[end];
    const isListed = !next || next.kind === 'break' || [',', 'and', '&'].includes(next.folded);
    if (this.isOpen && isListed) this.draft.tableColumns.push(key);
  }
}
