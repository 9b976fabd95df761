import { listOf } from '../phrase-list.js';
import type { Draft } from '../draft.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import type { Coordination } from './statement-list.js';
import type { Wording } from './wording.js';

interface ColumnMention extends Pick<Coordination, 'joined'> {
  readonly isRequired: boolean;
}

/**
 * Kind of a list. `all`: the only columns to show; `more`: additional columns; `with`: additional columns after a bare
 * "with".
 */
type Listing = 'all' | 'more' | 'with';

const NARROWING = new Set(
  listOf(`show | showing | columns | the columns | fields | attributes | with columns | with the columns
  | with the following columns | with the following fields | listing | output | return`),
);
/** Words after a column that show that it is part of a list, without a value. */
const LIST_GOES_ON = new Set(
  listOf(', | and | & | or | of | for | from | with | where | whose | sorted | ordered'),
);

/**
 * Columns that a prompt requests. An ambiguous name ("location") is a column only within a list of columns: after "include"
 * or "with", or after another column, until another kind of item follows.
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

  /** Drops the columns that are listed after a column that cannot be used: "Without e-mail or phone". */
  lose(): void {
    this.close();
    this.isLosing = true;
  }

  isLost(joined: ColumnMention['joined']): boolean {
    return this.isLosing && joined !== null;
  }

  /** @returns false when the word is not a column here */
  add(span: Span, { attribute, isCertain }: MeaningOf<'column'>, how: ColumnMention): boolean {
    const isListed = this.listing !== null || (how.joined !== null && this.draft.wanted.length > 0);
    if (!isListed && !isCertain) return false;
    this.draft.wanted.push({ attribute, isRequired: how.isRequired, text: this.wording.textOf(span) });
    this.listing ??= 'more';
    return true;
  }

  /** @returns whether the table columns from `start` to `end` are part of a list of columns to show */
  isListedAt(start: number, end: number): boolean {
    const next = this.reading.tokens[end];
    const isFollowed = !next || next.kind === 'break' || LIST_GOES_ON.has(next.folded);
    return isFollowed && (this.listing !== null || this.isBehindOnly(start));
  }

  /**
   * Adds a column of the table. A list after "show" or "only" excludes other columns; any other list has no effect, since all
   * are shown.
   * @param isIntroducing true for "with headquarters in Ireland", where the column introduces a value
   * @returns false when the column has no meaning here
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

/** @returns the kind of list that a phrase starts */
export function listingOf(cue: string): Listing {
  return NARROWING.has(cue) ? 'all' : 'more';
}
