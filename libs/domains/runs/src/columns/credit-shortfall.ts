/** Rounds for a part when the run has a limit. If every second call costs its full price, a thousandth is left after ten. */
export const ROUNDS = 20;

/**
 * Reasons why credits fall short of a row, by their flag in the result of its step: the balance or a spend cap is spent; the run's
 * own limit is; or rows are left after the last round within that limit, as some calls cost less than their price.
 */
export const SHORTFALLS = {
  isSpent: {
    error: {
      code: 'insufficient_credits',
      message: 'The balance or a spend cap was used up before this row.',
    },
    sentence: 'The balance or a spend cap is used up, so the rest of the column is empty.',
  },
  isLimited: {
    error: { code: 'usage_limit', message: 'The credit limit of the run was used up before this row.' },
    sentence: 'The credit limit of the run is used up, so the rest of the column is empty.',
  },
  isCutOff: {
    error: {
      code: 'usage_limit',
      message: `The run stopped before this row, after ${ROUNDS} rounds of lookups within its limit. Another run looks it up.`,
    },
    sentence: `The run stopped after ${ROUNDS} rounds of lookups within its limit; another run fills the rest.`,
  },
} as const;

export type Shortfall = keyof typeof SHORTFALLS;
