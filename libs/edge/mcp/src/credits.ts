/** @returns credits for thousandths, the unit of prices */
export function creditsOf(thousandths: number): number {
  return thousandths / 1000;
}

/** @returns the sum of amounts in credits, without floating-point errors */
export function sumOfCredits(amounts: readonly number[]): number {
  return creditsOf(amounts.reduce((sum, amount) => sum + Math.round(amount * 1000), 0));
}
