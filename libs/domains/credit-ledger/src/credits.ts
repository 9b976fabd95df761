/** Whole thousandths of a credit: the only form in which the ledger counts. */
export type Millicredits = number;

/** Credits of a new organisation in test mode, which are play money: the same for every organisation. */
export const TEST_CREDITS = 1000;

/** @returns thousandths. @throws RangeError for amounts that are not finite or have more than 3 decimals */
export function toMillicredits(credits: number): Millicredits {
  const milli = Math.round(credits * 1000);
  // A double holds a decimal like 0.1 only nearly, so equality is asked of the shortest text, not of the product.
  if (!Number.isSafeInteger(milli) || Number((milli / 1000).toFixed(3)) !== credits) {
    throw new RangeError(`Credits have at most 3 decimal places and must be a safe number: ${credits}`);
  }
  return milli;
}

/** @returns credits as the API shows them: a number with at most 3 decimal places. */
export function toCredits(milli: Millicredits): number {
  return milli / 1000;
}
