/** Match rule of a text that may name a person: it matches any of the patterns, or all of them. */
export type SoughtBy = 'any' | 'all';

/** A person to be searched for in stored data. */
export interface SoughtPerson {
  /** Kind of identifier. An email address belongs to one person only; the others may also appear in rows of someone else. */
  readonly kind: 'email' | 'linkedin' | 'name';
  /** LIKE patterns on folded text. They match everything that {@link isIn} accepts, and more. */
  readonly patterns: readonly string[];
  /** Selects the statement of {@link lookingForPerson} that finds the person. */
  readonly sought: SoughtBy;
  /** @returns whether values that belong together (a row, or a request with its response) name the person */
  isIn(...values: unknown[]): boolean;
  /** Returns the value with `instead` for every text that is in the same object or list as a mention of the person. */
  redacted(value: unknown, instead: string | null): unknown;
}

/**
 * Creates a statement for both match rules, by {@link SoughtPerson.sought}.
 * @param make returns the statement; `condition` is the SQL predicate that a text may name the person whose
 *   {@link SoughtPerson.patterns} are in `parameter`
 */
export function lookingForPerson<Made>(
  make: (by: SoughtBy, condition: (text: string, parameter: string) => string) => Made,
): Record<SoughtBy, Made> {
  const made = (by: SoughtBy): Made =>
    make(by, (text, parameter) => `erasure.folded(${text}) LIKE ${by.toUpperCase()} (${parameter}::text[])`);
  return { any: made('any'), all: made('all') };
}
