/** @returns credits of thousandths, which is what prices are counted in */
export function creditsOf(thousandths: number): number {
  return thousandths / 1000;
}

/** @returns an amount in words: 1 credit, 2.5 credits */
export function creditsText(credits: number): string {
  return `${credits} ${credits === 1 ? 'credit' : 'credits'}`;
}

/** @returns the sum of amounts in credits, without the error of adding fractions */
export function sumOfCredits(amounts: readonly number[]): number {
  return creditsOf(amounts.reduce((sum, amount) => sum + Math.round(amount * 1000), 0));
}
