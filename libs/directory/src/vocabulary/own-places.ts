import { AsyncLocalStorage } from 'node:async_hooks';
import { CITIES } from './city.catalogue.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import { foldText } from './phrase.js';
import { UNKNOWN_COUNTRY, type Place } from './place.js';

/** A city or a state that rows of imported directories have. */
export interface OwnPlaceRow {
  readonly kind: 'city' | 'state';
  readonly name: string;
  /** ISO 3166-1 alpha-2; null where the rows do not say it. */
  readonly countryCode: string | null;
}

/** Words behind which a name is a place, also in small letters or when it is a word of the language. */
const BEFORE_PLACES = new Set(['in', 'near', 'around', 'from']);
/** Between places: "in Palo Alto and Menlo Park". */
const BETWEEN_PLACES = new Set(['and', 'or', ',']);

/** Places that imported directories have beside those of the catalogue. They are data: no reading of prompts depends on them. */
export class OwnPlaces {
  private readonly index = new PhraseIndex<Place[]>();
  private readonly byId = new Map<string, Place>();

  constructor(rows: Iterable<OwnPlaceRow>) {
    for (const { kind, name, countryCode } of rows) {
      const folded = foldText(name);
      const isCatalogued =
        kind === 'city' &&
        CITIES.some((city) => city.countryCode === countryCode && foldText(city.name) === folded);
      if (folded.length < 3 || isCatalogued) continue;
      const place: Place = { kind, id: `${countryCode ?? UNKNOWN_COUNTRY}-${name}`, name };
      const key = `${kind} ${place.id}`;
      if (this.byId.has(key)) continue;
      this.byId.set(key, place);
      const known = this.index.get(name);
      if (known) known.push(place);
      else this.index.add([name], [place]);
    }
  }

  /** Returns the places of this name that stand at a position of a prompt: written as a name, or behind a word such as "in". */
  at(words: readonly string[], raw: readonly string[], at: number): PhraseMatch<readonly Place[]> | null {
    const match = this.index.longestAt(words, at);
    if (!match) return null;
    const before = words[at - 1] ?? '';
    if (BEFORE_PLACES.has(before)) return match;
    const isName = raw.slice(at, at + match.length).every((word) => /^\p{Lu}/u.test(word));
    return isName && (match.length > 1 || BETWEEN_PLACES.has(before)) ? match : null;
  }

  /** Returns the places that a whole text names. */
  named(text: string): readonly Place[] {
    return this.index.get(text) ?? [];
  }

  placeOf({ kind, id }: Pick<Place, 'kind' | 'id'>): Place | null {
    return this.byId.get(`${kind} ${id}`) ?? null;
  }
}

const current = new AsyncLocalStorage<OwnPlaces>();

/**
 * Runs work that reads prompts or inputs with the places of an organisation's directories. They are kept beside the calls, and not
 * among their parameters, since everything that knows places reads the one vocabulary.
 */
export function withOwnPlaces<T>(places: OwnPlaces | null, work: () => T): T {
  return places === null ? work() : current.run(places, work);
}

/** Returns the places that the work at hand has beside the catalogue; null for none. */
export function ownPlaces(): OwnPlaces | null {
  return current.getStore() ?? null;
}
