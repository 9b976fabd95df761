const AMOUNT =
  /^[-+−]?\s?([€$£]|[A-Z]{3})?\s?(\d{1,3}([.,'’\s]\d{3})+|\d+)([.,]\d+)?\s?(%|€|\$|£|[A-Z]{3})?$/;
/** Characters that distinguish an amount from a postal code or another number that is only a name. */
const AMOUNT_MARK = /[.,€$£%]|USD|EUR|GBP|CHF/;
const DAY = /^\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})$/;

/**
 * Returns how people would read a column whose texts are all localised numbers or dates, such as `1.234,56 €`; null for other
 * texts.
 */
export function writtenAs(values: readonly unknown[]): 'numbers' | 'dates' | null {
  const texts = values.filter((value) => typeof value === 'string' && value !== '') as string[];
  if (texts.length === 0) return null;
  if (texts.every((text) => DAY.test(text))) return 'dates';
  return texts.every((text) => AMOUNT.test(text)) && texts.some((text) => AMOUNT_MARK.test(text))
    ? 'numbers'
    : null;
}
