import leven from 'leven';

/** Names that other tools give to what a field of ours holds. */
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
/** A longer key may have more letters wrong. */
const LETTERS_PER_TYPO = 4;

/**
 * @param key field that nobody declares, at most as long as a field name is
 * @param known fields that are declared where it stands
 * @returns the declared field that is most likely meant; null where none is near
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
