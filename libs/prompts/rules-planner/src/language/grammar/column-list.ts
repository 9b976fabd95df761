import { listOf } from '../phrase-list.js';
import type { Draft } from '../draft.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import type { Coordination } from './statement-list.js';
import type { Wording } from './wording.js';

interface ColumnMention extends Pick<Coordination, 'joined'> {
  readonly isRequired: boolean;
}

/** `all`: what to show and nothing else; `more`: what to show as well; `with`: the same, behind a bare "with". */
type Listing = 'all' | 'more' | 'with';

const NARROWING = new Set(
  listOf(`show | showing | columns | the columns | fields | attributes | with columns | with the columns
  | with the following columns | with the following fields | listing | output | return`),
);
/** Behind a column, these show that it was listed and says nothing of a value. */
const LIST_GOES_ON = new Set(
  listOf(', | and | & | or | of | for | from | with | where | whose | sorted | ordered'),
);

/**
 * Columns that a prompt wants to see. A doubtful name ("location") is one only where columns are being listed: after
 * "include" or "with", after another column, and until something else is said.
 */
export class ColumnList {
  private listing: Listing | null = null;
  private isLosing = false;

  constructor(
    private readonly draft: Pick<Draft, 'wanted' | 'tableColumns' | 'notes'>,
    private readonly wording: Wording,
    private readonly reading: Reading,
  ) {}

  open(listing: Listing): void {
    this.listing = listing;
    this.isLosing = false;
  }

  close(): void {
    this.listing = null;
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
    const isListed = this.listing !== null || (how.joined !== null && this.draft.wanted.length > 0);
    if (!isListed && !isCertain) return false;
    this.draft.wanted.push({ attribute, isRequired: how.isRequired, text: this.wording.textOf(span) });
    this.listing ??= 'more';
    return true;
  }

  /** @returns whether the columns of the table from `start` to `end` are part of a list of what to show */
  isListedAt(start: number, end: number): boolean {
    const next = this.reading.tokens[end];
    const isFollowed = !next || next.kind === 'break' || LIST_GOES_ON.has(next.folded);
    return isFollowed && (this.listing !== null || this.isBehindOnly(start));
  }

  /**
   * A list after "show" or "only" leaves out what it does not name; any other shows nothing that is not shown anyway.
   * @param isIntroducing true for "with headquarters in Ireland", which speaks of a value
   * @returns false when the column says nothing here
   */
  addOfTable(span: Span, { key }: MeaningOf<'table_column'>, isIntroducing: boolean): boolean {
    if (this.isBehindOnly(span.start)) this.open('all');
    if (isIntroducing && !(this.listing === 'all' && this.isListedAt(span.start, span.end))) return true;
    if (this.listing === null) return false;
    if (this.listing === 'all') {
      if (!this.isListedAt(span.start, span.end)) return false;
      this.draft.tableColumns.push({ key, text: this.wording.textOf(span) });
    }
    if (this.listing === 'with')
      this.draft.notes.push(
        `“${this.wording.textOf(span)}” was read as a column to show, not as a condition.`,
      );
    return true;
  }

  private isBehindOnly(start: number): boolean {
    return ['only', 'just'].includes(this.reading.words[start - 1] ?? '');
  }
}

/** @returns what a list behind such a phrase is */
export function listingOf(cue: string): Listing {
  return NARROWING.has(cue) ? 'all' : 'more';
}
