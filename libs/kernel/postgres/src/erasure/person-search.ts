/** Match rule of a text that may name a person: it has one of the patterns, or all of them. */
export type SoughtBy = 'any' | 'all';

/** A person as the stores look for them. */
export interface SoughtPerson {
  /** Identifier by which the person is named. An address is one person's alone; the others may be said of somebody else's row. */
  readonly kind: 'email' | 'linkedin' | 'name';
  /** LIKE patterns on folded text. They let more through than {@link isIn}, and nothing less. */
  readonly patterns: readonly string[];
  /** Statement of {@link lookingForPerson} that finds the person. */
  readonly sought: SoughtBy;
  /** @returns whether values that belong together (a row, a request with its answer) name the person */
  isIn(...values: unknown[]): boolean;
  /** Returns the value with `instead` for every text beside which, in one object or list, the person is named. */
  redacted(value: unknown, instead: string | null): unknown;
}

/**
 * @param make gives the statement; `condition` is the SQL that a text may name the person whose
 *   {@link SoughtPerson.patterns} are in `parameter`
 * @returns the statement for both ways to look for a person, by {@link SoughtPerson.sought}
 */
export function lookingForPerson<Made>(
  make: (by: SoughtBy, condition: (text: string, parameter: string) => string) => Made,
): Record<SoughtBy, Made> {
  const made = (by: SoughtBy): Made =>
    make(by, (text, parameter) => `erasure.folded(${text}) LIKE ${by.toUpperCase()} (${parameter}::text[])`);
  return { any: made('any'), all: made('all') };
}
