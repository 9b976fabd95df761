import type { ColumnKind } from '@quarry/dto';
import { formulaSafe } from '../exports/csv.js';
import { KindInference } from '../import/kind-inference.js';

/** @returns the value of a field: null for an empty one; an apostrophe that was added to disarm a formula is removed */
export function cellOf(field: string): string | null {
  if (field === '') return null;
  // Removes exactly what the export adds, so that an exported table can be imported unchanged.
  return field.startsWith("'") && formulaSafe(field.slice(1)) === field ? field.slice(1) : field;
}

/** @returns whether a text is a number in JSON notation, so that converting it loses nothing, not even a zero */
export function isNumberText(text: string): boolean {
  if (!/^-?\d/.test(text) || text.length > 25) return false;
  const number = Number(text);
  return String(number) === text && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Infers the kind of a text column from all its values. It is a number or boolean column only if conversion loses nothing. */
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
