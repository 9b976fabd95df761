import type { Millicredits } from './service-definition.js';

/** Maximum charge for a result with the organisation's own key. Source: docs/vendors.md. */
const OWN_KEY_CHARGE: Millicredits = 100;

/**
 * @param usual price of a result with the operator's key
 * @param paidBy party that pays the vendor: the organisation itself; if omitted, the operator
 * @returns the charge in thousandths of a credit: never more than usual
 */
export function chargeOf(usual: Millicredits, paidBy: 'organisation' | undefined): Millicredits {
  return paidBy === 'organisation' ? Math.min(usual, OWN_KEY_CHARGE) : usual;
}
