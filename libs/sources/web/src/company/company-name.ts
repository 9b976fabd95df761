import { foldWords } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import type { ReadPage } from '../pages/page.js';
import { isA, schemaNodesOf, wordsAt, type SchemaNode } from '@quarry/extraction';

/** Node types of companies. Source: schema.org, Organization and its common subtypes. */
const ORGANISATION =
  /^(Organization|Corporation|LocalBusiness|OnlineBusiness|OnlineStore|NGO|EducationalOrganization|CollegeOrUniversity|GovernmentOrganization|NewsMediaOrganization|MedicalOrganization|Hospital|ProfessionalService|FinancialService|BankOrCreditUnion|InsuranceAgency|LegalService|Store|Restaurant|Hotel|SoftwareCompany|Airline|ResearchOrganization|SportsOrganization)$/;
/** Legal forms, with or without which names are written. */
const LEGAL_FORMS = new Set(
  `inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh mbh ag kg kgaa ohg gbr ug se sa sas sarl sl
  slu srl spa snc bv nv cv vof oy oyj ab as asa aps a/s kk pty pte pvt private sp zoo sro doo kft zrt ltda eireli holding
  holdings group`.split(/\s+/),
);

/** @returns the nodes of a page that describe a company, the most detailed first */
export function organisationsOf(page: Pick<ReadPage, 'structured' | 'microdata'>): SchemaNode[] {
  // Publishers and employers are described as well; the node with more data is more likely the page's own company.
  return schemaNodesOf(page)
    .filter((node) => isA(node, ORGANISATION) && wordsAt(node, 'name') !== null)
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length);
}

/** @returns folded words of a company's name, without its legal form */
export function nameWords(name: string): string[] {
  const words = foldWords(name);
  const end = words.findLastIndex((word) => !LEGAL_FORMS.has(word)) + 1;
  // A name may consist only of such words: "The Company Group".
  return end === 0 ? words : words.slice(0, end);
}

/** @returns whether two names mean the same company, ignoring case, accents, punctuation, spaces and the legal form */
export function isSameName(a: string, b: string): boolean {
  const [one, other] = [nameWords(a).join(''), nameWords(b).join('')];
  return one !== '' && one === other;
}

/** Names that a home page uses for its company; `null` for none. */
export interface OwnNames {
  /** Name in its structured data. */
  described: string | null;
  /** Name in `og:site_name`. */
  site: string | null;
  /** Parts of its title between dashes, bars and dots. */
  titles: string[];
}

/** @returns the names that a page, usually a home page, uses for its company */
export function ownNames(page: Pick<ReadPage, 'structured' | 'microdata' | 'metadata' | 'title'>): OwnNames {
  const [organisation] = organisationsOf(page);
  return {
    described: organisation ? wordsAt(organisation, 'name') : null,
    site: page.metadata['og:site_name'] ?? null,
    titles: (page.title ?? '')
      .split(/\s+[-–—|·•:]\s+|\s*[|·•]\s*|:\s+/)
      .map((piece) => piece.trim())
      .filter(Boolean),
  };
}

/**
 * @returns the nodes of a site's pages that describe its own company: those with its name, the most detailed first, else
 *   the only one
 */
export function ownOrganisations(pages: ReadonlyArray<Parameters<typeof ownNames>[0]>): SchemaNode[] {
  const { site, titles } = ownNames(pages[0]!);
  const nodes = pages.flatMap(organisationsOf);
  const named = nodes.filter((node) =>
    [site, ...titles].some((own) => own !== null && isSameOrLonger(wordsAt(node, 'name')!, own)),
  );
  const names = new Set(nodes.map((node) => wordsAt(node, 'name')));
  return named.length > 0 ? named : names.size === 1 ? nodes : [];
}

/** Returns true when a name extends the company's own: "Halbrook Pumps Ltd" calls itself "Halbrook". */
function isSameOrLonger(name: string, own: string): boolean {
  const [long, short] = [nameWords(name).join(' '), nameWords(own).join(' ')];
  return isSameName(name, own) || (short !== '' && long.startsWith(`${short} `));
}

/** Prefixes that companies add to their name when the name alone is taken. */
const BEFORE = /^(get|the|we|weare|go|try|join|hello|use|team|my)/;
/** Suffixes that they add. A long name may have any suffix; a short one is the prefix of too many words. */
const BEHIND =
  /^(hq|inc|app|apps|official|group|gmbh|ag|io|ai|com|co|de|at|ch|us|usa|uk|eu|global|team|labs?|tech|software|online|shop|store)?\d{0,4}$/;
const LONG = 6;

interface HandleNames {
  /** Names without spaces and punctuation. */
  own: string[];
  /** First words of names with several words. */
  first: string[];
  /** Parts of the title, some of which are not a name: "Home". */
  titles: string[];
}

type NamedPage = Parameters<typeof ownNames>[0] & { url: string };

/** Cache by page: a page may have a thousand links. */
const namesOfPages = new WeakMap<NamedPage, HandleNames>();

/**
 * @param handle name at a social network or a job board: `halbrookhq`, `halbrook-pumps`
 * @returns `same` when it equals the company's name on the page or in its address, `related` when it is derived from it;
 *   else null
 */
export function handleKinship(handle: string, page: NamedPage): 'same' | 'related' | null {
  const flatHandle = flatText(handle);
  if (flatHandle === '') return null;
  let names = namesOfPages.get(page);
  if (!names) namesOfPages.set(page, (names = handleNames(page)));
  const bare = flatHandle.replace(BEFORE, '');
  if ([...names.own, ...names.titles].some((name) => name === flatHandle || name === bare)) return 'same';
  if (names.first.includes(flatHandle)) return 'related';
  const isLonger = names.own.some(
    (name) => bare.startsWith(name) && (name.length >= LONG || BEHIND.test(bare.slice(name.length))),
  );
  return isLonger ? 'related' : null;
}

function handleNames(page: NamedPage): HandleNames {
  const label = registrableDomain(new URL(page.url).hostname)?.split('.')[0] ?? '';
  const { described, site, titles } = ownNames(page);
  const words = [label.split('-'), ...[described, site].map((name) => nameWords(name ?? ''))];
  const pieces = titles.slice(0, 3).map(nameWords);
  const flats = (names: readonly string[]): string[] => names.map(flatText).filter((name) => name !== '');
  return {
    own: flats(words.map((each) => each.join(''))),
    first: flats([...words, ...pieces].filter(({ length }) => length > 1).map(([first]) => first!)).filter(
      ({ length }) => length >= LONG,
    ),
    titles: flats(pieces.map((each) => each.join(''))),
  };
}

function flatText(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export type Confidence = 'high' | 'medium' | 'low';

/**
 * @returns the confidence that a page is the home page of a company with this name; null when nothing on it indicates that
 */
export function nameConfidence(page: Parameters<typeof ownNames>[0], name: string): Confidence | null {
  const { described, site, titles } = ownNames(page);
  if ([described, site].some((own) => own !== null && isSameName(own, name))) return 'high';
  if (titles.some((title) => isSameName(title, name))) return 'medium';
  const wanted = nameWords(name).join(' ');
  const words = ` ${[described, site, page.title].map((own) => nameWords(own ?? '').join(' ')).join(' | ')} `;
  return wanted !== '' && words.includes(` ${wanted} `) ? 'low' : null;
}
