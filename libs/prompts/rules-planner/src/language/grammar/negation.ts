import { columnsOf, isMeasure as isMeasureCheck } from '../check.js';
import { filterNamed, type Condition } from '../condition.js';
import type { Statement } from '../draft.js';
import type { MeaningOf } from '../meaning.js';
import type { Coordination } from './statement-list.js';

/**
 * Tracks the reach of a "not" or an "excluding". Conditions with the same group number are ruled out together: only
 * a row that meets them all falls, where alternatives ("Boston or Rome") count as one.
 *
 * idle → `begin` → open → `end`, or the first condition that is no longer under it → idle
 *
 * Its reach is in its cue. `item` ("not in Boston or Rome, with 50 staff"): the next thing and what is
 * coordinated with it of the same kind. `clause` ("excluding agencies and Italy"): all that is listed.
 */
export class Negation {
  private open: { readonly reach: MeaningOf<'negation'>['reach']; group: number; hasNoun: boolean } | null =
    null;
  private groups = 0;
  /** "Everyone but CEOs at banks": "at" goes back to the whole that the exception is taken from. */
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

  /** "Excluding companies with 50 staff": "with" goes on describing the noun that is ruled out. */
  readNoun(): void {
    if (this.open) this.open.hasNoun = true;
  }

  /**
   * "Not in Boston with 50 staff": where no noun was named, "with" goes back to what is wanted. "Excluding banks with
   * 50 staff": a thing right before it is the noun.
   */
  readWith(previous: Statement | null, isRightBehind: boolean): void {
    if (!this.open || this.open.hasNoun || previous?.exclusion !== this.open.group) return;
    const isNoun = isRightBehind && isOfThings(previous.condition) && this.open.reach === 'clause';
    if (!isNoun) this.end();
  }

  readEmployer(previous: Statement | null): void {
    if (this.endsAtEmployer && this.open && previous?.exclusion === this.open.group) this.end();
  }

  /** "Not ugly …", "without e-mail …": a word that nobody knows, or nothing can be made of, was the item. */
  readLostItem(): void {
    if (this.open?.reach === 'item') this.end();
  }

  /** "All columns except owner of …": a column right behind the cue was its item. */
  readLostColumn(previous: Statement | null): void {
    if (!this.open) return;
    const isFirst = !this.open.hasNoun && previous?.exclusion !== this.open.group;
    if (this.open.reach === 'item' || isFirst) this.end();
  }

  /**
   * Decides whether a condition is still under the negation. One that is not ends it; one of another kind in a list
   * ("excluding agencies and Italy") starts a group of its own, so that either of the two rules a row out.
   * @returns the group that the condition belongs to; null when it is wanted
   */
  groupOf(condition: Condition, { previous, joined, isComma }: Coordination): number | null {
    const { open } = this;
    if (!open) return null;
    if (previous?.exclusion !== open.group) return open.group;
    const isCoordinated = joined !== null;
    if (isCoordinated && subjectOf(previous.condition) === subjectOf(condition)) return open.group;
    if (open.reach === 'clause') {
      if (!isCoordinated) return open.group;
      // "Excluding agencies, between 10 and 50 staff": after a mere comma a measure starts anew.
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

/** Returns the subject of a condition: a list of alternatives goes on only with more of the same. */
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
