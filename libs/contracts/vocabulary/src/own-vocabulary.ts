import { AsyncLocalStorage } from 'node:async_hooks';
import { CITIES } from './city.catalogue.js';
import type { Trait } from './company-trait.catalogue.js';
import type { IndustryTerm } from './industry-index.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import { foldText, foldWords } from './phrase.js';
import { UNKNOWN_COUNTRY, type Place } from './place.js';
import type { Role } from './role.catalogue.js';

/** Value in rows of imported directories that is not in a catalogue. */
export interface OwnWordRow {
  readonly kind: 'city' | 'state' | 'industry' | 'technology' | 'title';
  readonly name: string;
  /** ISO 3166-1 alpha-2 of a place; null when the rows do not contain it. */
  readonly countryCode: string | null;
}

/** Values of imported directories, by their ids. */
export interface OwnValues {
  readonly industries: readonly string[];
  readonly technologies: readonly string[];
  readonly places: readonly Place[];
}

/** Words after which a name is a place, even in lower case or if it is a common word. */
const BEFORE_PLACES = new Set(['in', 'near', 'around', 'from']);
/** Separators of values: "in Palo Alto and Menlo Park". */
const BETWEEN = new Set(['and', 'or', ',']);
/** Words after an industry: "Widgets companies". */
const AFTER_INDUSTRIES = new Set(
  'company companies firm firms business businesses startup startups vendor vendors industry sector'.split(
    ' ',
  ),
);
/** Words after which a name is a technology. */
const BEFORE_TECHNOLOGIES = new Set(['use', 'uses', 'using', 'run', 'runs', 'running']);
/** Words that files contain in the title column although they are not titles. */
const NO_TITLES = new Set(
  'person people contact lead prospect member staff employee team other none unknown'.split(' '),
);
/** Maximum number of values of each kind that are returned for one text. */
const VALUES_MAX = 20;
/** Minimum length of a word; shorter ones are not significant enough to be searched in prompts. */
const LETTERS_MIN = 3;
/** Prefix of the id of a value that is in no catalogue; its text follows. */
const OWN = 'own:';

/** Returns the id in filters of an industry or a technology that only imported rows contain. */
export function ownWordId(name: string): string {
  return `${OWN}${name}`;
}

/** Returns the text of such an id, as in the rows; null for an id of the catalogue. */
export function ownWordOf(id: string): string | null {
  return id.startsWith(OWN) ? id.slice(OWN.length) : null;
}

/**
 * Values of imported directories in addition to those of the catalogues. They are data: no parsing rule depends on them.
 */
export class OwnVocabulary {
  private readonly places = new PhraseIndex<Place[]>();
  private readonly placesById = new Map<string, Place>();
  private readonly industries = new PhraseIndex<{ name: string; industryIds: string[] }>();
  private readonly industryIds = new Set<string>();
  private readonly technologies = new PhraseIndex<Trait>();
  private readonly titles = new PhraseIndex<Role>();

  constructor(rows: Iterable<OwnWordRow>) {
    for (const row of rows) {
      if (foldText(row.name).length < LETTERS_MIN) continue;
      if (row.kind === 'industry') this.addIndustry(row.name);
      else if (row.kind === 'technology') this.addTechnology(row.name);
      else if (row.kind === 'title') this.addTitle(row.name);
      else this.addPlace(row.kind, row);
    }
  }

  /** Returns the places with this name at a position of a prompt: capitalised, or after a word such as "in". */
  placesAt(
    words: readonly string[],
    raw: readonly string[],
    at: number,
  ): PhraseMatch<readonly Place[]> | null {
    const match = this.places.longestAt(words, at);
    if (!match) return null;
    const before = words[at - 1] ?? '';
    if (BEFORE_PLACES.has(before)) return match;
    const isName = raw.slice(at, at + match.length).every((word) => /^\p{Lu}/u.test(word));
    return isName && (match.length > 1 || BETWEEN.has(before)) ? match : null;
  }

  /** Returns the places that the whole text names. */
  placesNamed(text: string): readonly Place[] {
    return this.places.get(text) ?? [];
  }

  placeOf({ kind, id }: Pick<Place, 'kind' | 'id'>): Place | null {
    return this.placesById.get(`${kind} ${id}`) ?? null;
  }

  /** Returns the industry at a position: one with several words, or one in a context where prompts name industries. */
  industryAt(words: readonly string[], at: number): PhraseMatch<IndustryTerm> | null {
    const match = this.industries.longestAt(words, at);
    if (!match || match.length > 1) return match;
    const [before, after] = [words[at - 1] ?? '', words[at + 1] ?? ''];
    return before === 'in' || BETWEEN.has(before) || AFTER_INDUSTRIES.has(after) ? match : null;
  }

  /** Returns the ids of the industries that the whole text names. */
  industriesNamed(text: string): readonly string[] {
    return this.industries.get(text)?.industryIds ?? [];
  }

  hasIndustry(id: string): boolean {
    return this.industryIds.has(id);
  }

  /** Returns the technology after a word such as "using": without it, the name may be a common word. */
  technologyAt(words: readonly string[], at: number): PhraseMatch<Trait> | null {
    const match = this.technologies.longestAt(words, at);
    return BEFORE_TECHNOLOGIES.has(words[at - 1] ?? '') || match?.length === words.length ? match : null;
  }

  /** Returns the values anywhere in a text, whatever they mean there, by their ids in filters. */
  valuesIn(text: string): OwnValues {
    const words = foldWords(text);
    const all = <T, Value>(index: PhraseIndex<T>, valuesOf: (meaning: T) => readonly Value[]): Value[] => {
      const found = words.flatMap((_, at) => index.longestAt(words, at) ?? []);
      return [...new Set(found.flatMap(({ meaning }) => valuesOf(meaning)))].slice(0, VALUES_MAX);
    };
    return {
      industries: all(this.industries, ({ industryIds }) => industryIds),
      technologies: all(this.technologies, ({ id }) => [id]),
      places: all(this.places, (places) => places),
    };
  }

  titleAt(words: readonly string[], at: number): PhraseMatch<Role> | null {
    return this.titles.longestAt(words, at);
  }

  private addPlace(kind: Place['kind'], { name, countryCode }: OwnWordRow): void {
    const folded = foldText(name);
    const isCatalogued =
      kind === 'city' &&
      CITIES.some((city) => city.countryCode === countryCode && foldText(city.name) === folded);
    const place: Place = { kind, id: `${countryCode ?? UNKNOWN_COUNTRY}-${name}`, name };
    const key = `${kind} ${place.id}`;
    if (isCatalogued || this.placesById.has(key)) return;
    this.placesById.set(key, place);
    const known = this.places.get(name);
    if (known) known.push(place);
    else this.places.add([name], [place]);
  }

  /** Adds a name with all its spellings in rows, so that each of them is found. */
  private addIndustry(name: string): void {
    const id = ownWordId(name);
    if (this.industryIds.has(id)) return;
    this.industryIds.add(id);
    const known = this.industries.get(name);
    if (known) known.industryIds.push(id);
    else this.industries.add([name], { name, industryIds: [id] });
  }

  private addTechnology(name: string): void {
    const known = this.technologies.get(name);
    if (!known) this.technologies.add([name], { id: ownWordId(foldText(name)), name, synonyms: [] });
  }

  private addTitle(name: string): void {
    const titleWords = foldWords(name);
    if (titleWords.every((word) => NO_TITLES.has(word))) return;
    this.titles.add([name], { name, seniorities: [], departments: [], titleWords });
  }
}

const current = new AsyncLocalStorage<OwnVocabulary>();

/**
 * Runs work that reads prompts or inputs with the words of an organisation's directories. They are passed with
 * AsyncLocalStorage instead of parameters, since all functions that use such words access the same vocabulary.
 */
export function withOwnVocabulary<T>(words: OwnVocabulary | null, work: () => T): T {
  return words === null ? work() : current.run(words, work);
}

/** Returns the additional words of the current work; null for none. */
export function ownVocabulary(): OwnVocabulary | null {
  return current.getStore() ?? null;
}
