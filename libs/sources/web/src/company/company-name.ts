import { foldWords } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import type { ReadPage } from '../pages/page.js';
import { isA, schemaNodesOf, wordsAt, type SchemaNode } from '@quarry/extraction';

/** Types of nodes that are companies. Source: schema.org, Organization and what is below it in common use. */
const ORGANISATION =
  /^(Organization|Corporation|LocalBusiness|OnlineBusiness|OnlineStore|NGO|EducationalOrganization|CollegeOrUniversity|GovernmentOrganization|NewsMediaOrganization|MedicalOrganization|Hospital|ProfessionalService|FinancialService|BankOrCreditUnion|InsuranceAgency|LegalService|Store|Restaurant|Hotel|SoftwareCompany|Airline|ResearchOrganization|SportsOrganization)$/;
/** Forms of companies, which names are written with or without. */
const LEGAL_FORMS = new Set(
  `inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh mbh ag kg kgaa ohg gbr ug se sa sas sarl sl
  slu srl spa snc bv nv cv vof oy oyj ab as asa aps a/s kk pty pte pvt private sp zoo sro doo kft zrt ltda eireli holding
  holdings group`.split(/\s+/),
);

/** @returns the nodes of a page that describe a company, the most telling first */
export function organisationsOf(page: Pick<ReadPage, 'structured' | 'microdata'>): SchemaNode[] {
  // Also publishers and employers are described; what says more of itself is more likely the page's own.
  return schemaNodesOf(page)
    .filter((node) => isA(node, ORGANISATION) && wordsAt(node, 'name') !== null)
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length);
}

/** @returns words of a company's name, folded, without its form */
export function nameWords(name: string): string[] {
  const words = foldWords(name);
  const end = words.findLastIndex((word) => !LEGAL_FORMS.has(word)) + 1;
  // A name may consist of such words only: "The Company Group".
  return end === 0 ? words : words.slice(0, end);
}

/** @returns whether two names are of one company: case, accents, punctuation, spaces and the form do not count */
export function isSameName(a: string, b: string): boolean {
  const [one, other] = [nameWords(a).join(''), nameWords(b).join('')];
  return one !== '' && one === other;
}

/** Names that a home page gives its company; `null` where it gives none. */
export interface OwnNames {
  /** As it describes itself in data. */
  described: string | null;
  /** As `og:site_name`. */
  site: string | null;
  /** The pieces of its title between dashes, bars and dots. */
  titles: string[];
}

/** @returns what a page, as a rule a home page, calls the company that it belongs to */
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

/** @returns the nodes of a site's pages that describe its own company: those of its name, the most telling first, else the only one */
export function ownOrganisations(pages: ReadonlyArray<Parameters<typeof ownNames>[0]>): SchemaNode[] {
  const { site, titles } = ownNames(pages[0]!);
  const nodes = pages.flatMap(organisationsOf);
  const named = nodes.filter((node) =>
    [site, ...titles].some((own) => own !== null && isSameOrLonger(wordsAt(node, 'name')!, own)),
  );
  const names = new Set(nodes.map((node) => wordsAt(node, 'name')));
  return named.length > 0 ? named : names.size === 1 ? nodes : [];
}

/** "Halbrook Pumps Ltd" calls itself "Halbrook". */
function isSameOrLonger(name: string, own: string): boolean {
  const [long, short] = [nameWords(name).join(' '), nameWords(own).join(' ')];
  return isSameName(name, own) || (short !== '' && long.startsWith(`${short} `));
}

/** Words that companies put before their name where the name alone is taken. */
const BEFORE = /^(get|the|we|weare|go|try|join|hello|use|team|my)/;
/** And behind it. A long name may have anything behind it; a short one begins too many words. */
const BEHIND =
  /^(hq|inc|app|apps|official|group|gmbh|ag|io|ai|com|co|de|at|ch|us|usa|uk|eu|global|team|labs?|tech|software|online|shop|store)?\d{0,4}$/;
const LONG = 6;

interface HandleNames {
  /** Without spaces and signs. */
  own: string[];
  /** First words of names that have several. */
  first: string[];
  /** Pieces of the title, some of which are no name: "Home". */
  titles: string[];
}

type NamedPage = Parameters<typeof ownNames>[0] & { url: string };

/** Of each page once: it may have a thousand links. */
const namesOfPages = new WeakMap<NamedPage, HandleNames>();

/**
 * @param handle name at a network or a job board: `halbrookhq`, `halbrook-pumps`
 * @returns `same` where it is the name that the page or its address gives the company, `related` where it is made of it; null else
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

/** @returns how surely a page is the home of a company of this name; null when nothing on it says so */
export function nameConfidence(page: Parameters<typeof ownNames>[0], name: string): Confidence | null {
  const { described, site, titles } = ownNames(page);
  if ([described, site].some((own) => own !== null && isSameName(own, name))) return 'high';
  if (titles.some((title) => isSameName(title, name))) return 'medium';
  const wanted = nameWords(name).join(' ');
  const words = ` ${[described, site, page.title].map((own) => nameWords(own ?? '').join(' ')).join(' | ')} `;
  return wanted !== '' && words.includes(` ${wanted} `) ? 'low' : null;
}
