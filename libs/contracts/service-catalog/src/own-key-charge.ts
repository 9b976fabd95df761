import type { Millicredits } from './service-definition.js';

/** Largest charge for an answer that came with the organisation's own key. Source: docs/vendors.md. */
const OWN_KEY_CHARGE: Millicredits = 100;

/**
 * @param usual what an answer of the operator's costs
 * @param paidBy who pays the vendor: the organisation itself, or, left out, the operator
 * @returns what is charged, in thousandths of a credit: never more than usual
 */
export function chargeOf(usual: Millicredits, paidBy: 'organisation' | undefined): Millicredits {
  return paidBy === 'organisation' ? Math.min(usual, OWN_KEY_CHARGE) : usual;
}
