/** @returns credits of thousandths, which is what prices are counted in */
export function creditsOf(thousandths: number): number {
  return thousandths / 1000;
}

/** @returns the sum of amounts in credits, without the error of adding fractions */
export function sumOfCredits(amounts: readonly number[]): number {
  return creditsOf(amounts.reduce((sum, amount) => sum + Math.round(amount * 1000), 0));
}
