import leven from 'leven';

/** Names that other tools use for our fields. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  title: ['roles', 'role'],
  job_title: ['roles', 'role'],
  position: ['roles', 'role'],
  company_name: ['company', 'name'],
  organization: ['company', 'name'],
  website: ['domain', 'url'],
  company_domain: ['domain'],
  company_website: ['domain'],
  location: ['cities'],
  city: ['cities'],
  country: ['countries'],
  firstname: ['first_name'],
  lastname: ['last_name'],
  name: ['full_name', 'company'],
  max_results: ['limit'],
  size: ['limit'],
  page_size: ['limit'],
  q: ['query'],
  webhook: ['webhook_url'],
  events: ['types'],
  event_types: ['types'],
  linkedin: ['linkedin_url'],
  sector: ['industries'],
};
/** Number of letters per permitted typing error: a longer key may have more. */
const LETTERS_PER_TYPO = 4;

/**
 * @param key undeclared field, at most as long as a field name
 * @param known fields declared at this position
 * @returns the declared field that is most likely meant; null when none is similar
 */
export function nearestKey(key: string, known: Iterable<string>): string | null {
  const declared = [...known];
  const folded = key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
  const numbers = [
    `${folded}s`,
    folded.replace(/s$/, ''),
    folded.replace(/y$/, 'ies'),
    folded.replace(/ies$/, 'y'),
  ];
  const same = [folded, ...numbers].find((each) => declared.includes(each));
  if (same !== undefined) return same;
  const other = [folded, folded.replace(/s$/, '')].flatMap((each) =>
    Object.hasOwn(OTHER_NAMES, each) ? OTHER_NAMES[each]! : [],
  );
  const meant = other.find((each) => declared.includes(each));
  if (meant !== undefined) return meant;
  const typosMax = Math.floor(folded.length / LETTERS_PER_TYPO);
  const near = declared
    .map((each) => ({ each, typos: leven(folded, each, { maxDistance: typosMax + 1 }) }))
    .filter(({ typos }) => typos <= typosMax)
    .sort((a, b) => a.typos - b.typos)[0];
  return near?.each ?? null;
}
