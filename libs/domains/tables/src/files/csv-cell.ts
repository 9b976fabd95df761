import type { ColumnKind } from '@quarry/dto';
import { formulaSafe } from '../exports/csv.js';
import { KindInference } from '../import/kind-inference.js';

/** @returns what a field of a file holds: an empty one nothing; the apostrophe that disarms a formula is taken off */
export function cellOf(field: string): string | null {
  if (field === '') return null;
  // Exactly what the export puts there, so that a table that was exported comes back as it was.
  return field.startsWith("'") && formulaSafe(field.slice(1)) === field ? field.slice(1) : field;
}

/** @returns whether a text is a number written as JSON would write it: as a number it loses nothing, not even a zero */
export function isNumberText(text: string): boolean {
  if (!/^-?\d/.test(text) || text.length > 25) return false;
  const number = Number(text);
  return String(number) === text && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Finds the kind of a column of texts, from all of them. Numbers and booleans are those that lose nothing. */
export class TextKindInference {
  private readonly texts = new KindInference();
  private isFilled = false;
  private isNumber = true;
  private isBoolean = true;

  observe(text: string): void {
    this.isFilled = true;
    this.isNumber &&= isNumberText(text);
    this.isBoolean &&= text === 'true' || text === 'false';
    this.texts.observe(text);
  }

  get kind(): ColumnKind {
    if (this.isFilled && this.isNumber) return 'number';
    return this.isFilled && this.isBoolean ? 'boolean' : this.texts.kind;
  }
}

/** @returns the JSON of a cell in a column of this kind, or null when the kind does not allow it */
export function cellJson(kind: ColumnKind, text: string | null): string | null {
  if (text === null) return 'null';
  if (kind === 'number') return isNumberText(text) ? text : null;
  if (kind === 'boolean') return text === 'true' || text === 'false' ? text : null;
  return JSON.stringify(text);
}
