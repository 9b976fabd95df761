/** Maximum number of distinct texts per field; later ones are only counted. */
const TEXTS_MAX = 2000;
const SHOWN_MAX = 5;
const SHOWN_CHARACTERS = 80;

/** Values of one field that are not in the vocabulary. */
export interface UnknownField {
  readonly field: string;
  /** Total number of values. */
  readonly count: number;
  /** Most frequent of the recorded texts. */
  readonly texts: readonly string[];
}

/** Counts values that are not understood, in bounded memory. */
export class UnknownWords {
  private readonly fields = new Map<string, { count: number; texts: Map<string, number> }>();

  count(field: string, text: string): void {
    let known = this.fields.get(field);
    if (!known) this.fields.set(field, (known = { count: 0, texts: new Map() }));
    known.count += 1;
    const cut = text.slice(0, SHOWN_CHARACTERS);
    const times = known.texts.get(cut);
    if (times !== undefined || known.texts.size < TEXTS_MAX) known.texts.set(cut, (times ?? 0) + 1);
  }

  /** @returns each field with values that were not understood */
  fieldsShown(): UnknownField[] {
    return [...this.fields].map(([field, { count, texts }]) => ({
      field,
      count,
      texts: [...texts]
        .sort((a, b) => b[1] - a[1])
        .slice(0, SHOWN_MAX)
        .map(([text]) => text),
    }));
  }
}
