const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Stop words that open a phrase: when an unknown word follows, they belong to the reported fragment. */
export const PHRASE_OPENERS = set(
  'with without by for from in at on of to using whose who which that than about near named called under over like via as only',
);
