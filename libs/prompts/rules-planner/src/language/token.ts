/** One piece of a prompt. */
export interface Token {
  /** `break` ends a sentence, a line or a list item; `mark` is punctuation inside one. */
  readonly kind: 'word' | 'number' | 'date' | 'quoted' | 'mark' | 'break';
  /** As written; for `quoted` without the quotation marks. */
  readonly text: string;
  /** Folded for comparison; for marks the plain ASCII mark. */
  readonly folded: string;
  /** Place in the prompt, end excluded. */
  readonly start: number;
  readonly end: number;
  /** Set for `number`. */
  readonly value: number | null;
  readonly isMoney: boolean;
}
