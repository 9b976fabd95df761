import { columnsOf, isMeasure as isMeasureCheck } from '../check.js';
import { filterNamed, type Condition } from '../condition.js';
import type { Statement } from '../draft.js';
import type { MeaningOf } from '../meaning.js';
import type { Coordination } from './statement-list.js';

/**
 * Tracks the scope of "not" or "excluding". Conditions with the same group number are excluded together: only a row that
 * matches all of them is excluded, where alternatives ("Boston or Rome") count as one.
 *
 * idle → `begin` → open → `end`, or the first condition outside its scope → idle
 *
 * The cue determines its scope. `item` ("not in Boston or Rome, with 50 staff"): the next item and those coordinated with
 * it of the same kind. `clause` ("excluding agencies and Italy"): everything that is listed.
 */
export class Negation {
  private open: { readonly reach: MeaningOf<'negation'>['reach']; group: number; hasNoun: boolean } | null =
    null;
  private groups = 0;
  /** True for "Everyone but CEOs at banks": "at" describes the whole from which the exception is excluded. */
  endsAtEmployer = false;

  get isOpen(): boolean {
    return this.open !== null;
  }

  begin(reach: MeaningOf<'negation'>['reach']): void {
    this.open = { reach, group: this.nextGroup(), hasNoun: false };
    this.endsAtEmployer = false;
  }

  end(): void {
    this.open = null;
  }

  /** Reads the excluded noun. "Excluding companies with 50 staff": "with" continues its description. */
  readNoun(): void {
    if (this.open) this.open.hasNoun = true;
  }

  /**
   * Reads "with". "Not in Boston with 50 staff": without a noun, "with" ends the negation. "Excluding banks with 50 staff": a
   * thing directly before it is the noun.
   */
  readWith(previous: Statement | null, isRightBehind: boolean): void {
    if (!this.open || this.open.hasNoun || previous?.exclusion !== this.open.group) return;
    const isNoun = isRightBehind && isOfThings(previous.condition) && this.open.reach === 'clause';
    if (!isNoun) this.end();
  }

  readEmployer(previous: Statement | null): void {
    if (this.endsAtEmployer && this.open && previous?.exclusion === this.open.group) this.end();
  }

  /** Reads an unknown or unsupported word as the item of the negation: "Not ugly …", "without e-mail …". */
  readLostItem(): void {
    if (this.open?.reach === 'item') this.end();
  }

  /** Reads a column directly after the cue as its item: "All columns except owner of …". */
  readLostColumn(previous: Statement | null): void {
    if (!this.open) return;
    const isFirst = !this.open.hasNoun && previous?.exclusion !== this.open.group;
    if (this.open.reach === 'item' || isFirst) this.end();
  }

  /**
   * Decides whether a condition is within the negation. One outside ends it; one of another kind in a list ("excluding
   * agencies and Italy") starts a new group, so that either of the two excludes a row.
   * @returns the group of the condition; null for a positive one
   */
  groupOf(condition: Condition, { previous, joined, isComma }: Coordination): number | null {
    const { open } = this;
    if (!open) return null;
    if (previous?.exclusion !== open.group) return open.group;
    const isCoordinated = joined !== null;
    if (isCoordinated && subjectOf(previous.condition) === subjectOf(condition)) return open.group;
    if (open.reach === 'clause') {
      if (!isCoordinated) return open.group;
      // "Excluding agencies, between 10 and 50 staff": a measure after a comma is positive.
      const startsAnew = isComma && isMeasure(condition);
      if (!startsAnew) return (open.group = this.nextGroup());
    }
    this.end();
    return null;
  }

  private nextGroup(): number {
    this.groups += 1;
    return this.groups;
  }
}

/** Returns the subject of a condition: a list of alternatives continues only with the same subject. */
export function subjectOf(condition: Condition): string {
  return condition.on === 'column' ? `column ${columnsOf(condition.check).join()}` : condition.on;
}

function isMeasure(condition: Condition): boolean {
  return condition.on === 'column' ? isMeasureCheck(condition.check) : 'ranges' in condition;
}

/** Its words are things: "banks", "CTOs", "customers". */
function isOfThings({ on }: Condition): boolean {
  return on === 'column' || filterNamed(on)?.isNoun === true;
}
