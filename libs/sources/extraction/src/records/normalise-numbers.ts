/** Headcount: exact, or with bounds; `max` null means no upper bound. */
export interface Size {
  readonly exact: number | null;
  readonly min: number;
  readonly max: number | null;
}

/** Maximum value of a PostgreSQL integer. */
const INTEGER_MAX = 2_147_483_647;
/** Codes of Crunchbase's exports: c_00051_00100, c_10001_max. */
const CODE = /^c_0*(\d+)_(?:0*(\d+)|max)$/;
const RANGE = /^(\d+)\s*(?:-|–|—|to|\.\.)\s*(\d+)$/;
const OPEN = /^(?:>=?\s*|over |more than )?(\d+)\s*\+?$/;
const WORDS: Readonly<Record<string, number>> = { 'self employed': 1, 'self-employed': 1, 'myself only': 1 };

/**
 * Parses the size of a company: "51-200", "1,001 to 5,000 employees", "10001+", "c_00051_00100", "37".
 * @returns null when the text is not a size
 */
export function parsedSize(text: string): Size | null {
  const plain = text
    .toLowerCase()
    .replace(/(\d)[,.\s](?=\d{3}(?!\d))/g, '$1')
    .trim()
    .replace(/(employees?|people|staff|fte)$/, '')
    .trim();
  const word = WORDS[plain];
  if (word !== undefined) return exactSize(word);
  const bounds = CODE.exec(plain) ?? RANGE.exec(plain);
  if (bounds) {
    const [min, max] = [Number(bounds[1]), bounds[2] === undefined ? null : Number(bounds[2])];
    const isSound = min <= INTEGER_MAX && (max === null || (min <= max && max <= INTEGER_MAX));
    return isSound ? { exact: null, min, max } : null;
  }
  const number = OPEN.exec(plain.replace(/\.0+$/, ''));
  if (!number) return null;
  const value = Number(number[1]);
  if (value > INTEGER_MAX) return null;
  if (/^\d+$/.test(plain.replace(/\.0+$/, ''))) return exactSize(value);
  // "more than 50" starts after 50, "50+" at 50.
  const isBehind = /^(>(?!=)|over |more than )/.test(plain);
  return { exact: null, min: isBehind ? value + 1 : value, max: null };
}

function exactSize(value: number): Size {
  return { exact: value, min: value, max: value };
}

/** Founding year: not before 1000, which is also the minimum of the search services. */
const YEAR = /(?:^|\D)(1\d{3}|20\d{2})(?:\D|$)/;

/**
 * @returns the year in a year, a number or a date in any order: "1998.0", "2008-03-01", "21/11/2012"; null when there is
 *   none
 */
export function parsedYear(text: string): number | null {
  const year = YEAR.exec(text.trim());
  return year ? Number(year[1]) : null;
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};

/** @returns whole US dollars of "1200000", "$1.2M", "1,200,000 USD"; null for a range, another currency or no number */
export function parsedDollars(text: string): number | null {
  const plain = text
    .toLowerCase()
    .replace(/^(us)?\$\s*|\s*(usd|us\$)$/g, '')
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .trim();
  const parts = /^(\d+(?:\.\d+)?)\s*(k|m|b|bn|thousand|million|billion)?$/.exec(plain);
  const amount = parts ? Math.round(Number(parts[1]) * FACTORS[parts[2] ?? '']!) : Infinity;
  return Number.isSafeInteger(amount) ? amount : null;
}
