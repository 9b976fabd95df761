/** Whole thousandths of a credit: the only unit in which the ledger counts. */
export type Millicredits = number;

/** Test-mode credits of a new organisation. They have no value. */
export const TEST_CREDITS = 1000;

/** @returns thousandths of a credit. @throws RangeError for amounts that are not finite or have more than 3 decimals */
export function toMillicredits(credits: number): Millicredits {
  const milli = Math.round(credits * 1000);
  // A double represents a decimal such as 0.1 only approximately, so the shortest decimal texts are compared.
  if (!Number.isSafeInteger(milli) || Number((milli / 1000).toFixed(3)) !== credits) {
    throw new RangeError(`Credits have at most 3 decimal places and must be a safe number: ${credits}`);
  }
  return milli;
}

/** @returns credits as in the API: a number with at most 3 decimal places */
export function toCredits(milli: Millicredits): number {
  return milli / 1000;
}
