/** @returns {number} the value below which the given fraction of the values lies */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** @returns {{ median: number, min: number, max: number }} */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return {
    median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2,
    min: sorted[0],
    max: sorted.at(-1),
  };
}

/** Returns product / baseline pair by pair: the two values of a pair were measured directly after each other. */
export function ratioOf(product, baseline) {
  return spreadOf(product.map((value, i) => value / baseline[i]));
}

/** Returns how much more the product takes than the baseline, pair by pair. */
export function differenceOf(product, baseline) {
  return spreadOf(product.map((value, i) => value - baseline[i]));
}
