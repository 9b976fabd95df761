import { AsyncLocalStorage } from 'node:async_hooks';
import { CITIES } from './city.catalogue.js';
import type { Trait } from './company-trait.catalogue.js';
import type { IndustryTerm } from './industry-index.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import { foldText, foldWords } from './phrase.js';
import { UNKNOWN_COUNTRY, type Place } from './place.js';
import type { Role } from './role.catalogue.js';

/** A value that rows of imported directories have and no catalogue. */
export interface OwnWordRow {
  readonly kind: 'city' | 'state' | 'industry' | 'technology' | 'title';
  readonly name: string;
  /** ISO 3166-1 alpha-2 of a place; null where the rows do not say it. */
  readonly countryCode: string | null;
}

/** Values of imported directories, by their ids. */
export interface OwnValues {
  readonly industries: readonly string[];
  readonly technologies: readonly string[];
  readonly places: readonly Place[];
}

/** Words behind which a name is a place, also in small letters or when it is a word of the language. */
const BEFORE_PLACES = new Set(['in', 'near', 'around', 'from']);
/** Between values: "in Palo Alto and Menlo Park". */
const BETWEEN = new Set(['and', 'or', ',']);
/** Words behind a line of business: "Widgets companies". */
const AFTER_INDUSTRIES = new Set(
  'company companies firm firms business businesses startup startups vendor vendors industry sector'.split(
    ' ',
  ),
);
/** Words behind which a name is a technology. */
const BEFORE_TECHNOLOGIES = new Set(['use', 'uses', 'using', 'run', 'runs', 'running']);
/** Headings of people that files also have for titles. */
const NO_TITLES = new Set(
  'person people contact lead prospect member staff employee team other none unknown'.split(' '),
);
/** Values of each kind that one text is told to have. */
const VALUES_MAX = 20;
/** A shorter word says too little to be looked for in prompts. */
const LETTERS_MIN = 3;
/** Begins the id of a value that no catalogue has; its text follows. */
const OWN = 'own:';

/** Returns the id under which filters know a line of business or a technology that only imported rows have. */
export function ownWordId(name: string): string {
  return `${OWN}${name}`;
}

/** Returns the text of such an id, as rows have it; null for an id of the catalogue. */
export function ownWordOf(id: string): string | null {
  return id.startsWith(OWN) ? id.slice(OWN.length) : null;
}

/** Values that imported directories have beside those of the catalogues. They are data: no reading of prompts depends on them. */
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

  /** Returns the places of this name that stand at a position of a prompt: written as a name, or behind a word such as "in". */
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

  /** Returns the places that a whole text names. */
  placesNamed(text: string): readonly Place[] {
    return this.places.get(text) ?? [];
  }

  placeOf({ kind, id }: Pick<Place, 'kind' | 'id'>): Place | null {
    return this.placesById.get(`${kind} ${id}`) ?? null;
  }

  /** Returns the line of business at a position: of several words, or of one that stands where a prompt names one. */
  industryAt(words: readonly string[], at: number): PhraseMatch<IndustryTerm> | null {
    const match = this.industries.longestAt(words, at);
    if (!match || match.length > 1) return match;
    const [before, after] = [words[at - 1] ?? '', words[at + 1] ?? ''];
    return before === 'in' || BETWEEN.has(before) || AFTER_INDUSTRIES.has(after) ? match : null;
  }

  /** Returns the ids of the lines of business that a whole text names. */
  industriesNamed(text: string): readonly string[] {
    return this.industries.get(text)?.industryIds ?? [];
  }

  hasIndustry(id: string): boolean {
    return this.industryIds.has(id);
  }

  /** Returns the technology that stands behind a word such as "using": a bare name may be any word of the language. */
  technologyAt(words: readonly string[], at: number): PhraseMatch<Trait> | null {
    const match = this.technologies.longestAt(words, at);
    return BEFORE_TECHNOLOGIES.has(words[at - 1] ?? '') || match?.length === words.length ? match : null;
  }

  /** Returns the values that stand anywhere in a text, whatever they mean there, by the ids under which filters know them. */
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

  /** Rows that write one word in several ways are found by each of them. */
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
 * Runs work that reads prompts or inputs with the words of an organisation's directories. They are kept beside the calls, and not
 * among their parameters, since everything that knows such words reads the one vocabulary.
 */
export function withOwnVocabulary<T>(words: OwnVocabulary | null, work: () => T): T {
  return words === null ? work() : current.run(words, work);
}

/** Returns the words that the work at hand has beside the catalogues; null for none. */
export function ownVocabulary(): OwnVocabulary | null {
  return current.getStore() ?? null;
}
