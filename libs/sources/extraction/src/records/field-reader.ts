import type { UnknownWords } from './unknown-words.js';
import { RejectedLine } from './rejected-line.js';

/** Longer than any description; what is longer is a file that is quoted wrongly. */
const TEXT_MAX = 10_000;
const LIST_MAX = 200;

/** Columns of a file by the fields of an import, each with its number, from 0. */
export type FieldMapping = ReadonlyMap<string, number>;

/** Reads the fields of one line after the other by what they are about. */
export class FieldReader {
  private fields: readonly string[] = [];
  private readonly inner = new Map<string, FieldReader>();

  constructor(
    private readonly mapping: FieldMapping,
    private readonly unknown: UnknownWords,
    private readonly prefix = '',
  ) {}

  /** Goes on to another line. */
  turnTo(fields: readonly string[]): this {
    this.fields = fields;
    for (const reader of this.inner.values()) reader.turnTo(fields);
    return this;
  }

  /** @returns a reader of the fields that begin so, without their beginning */
  within(prefix: string): FieldReader {
    const known = this.inner.get(prefix);
    if (known) return known;
    const reader = new FieldReader(this.mapping, this.unknown, this.prefix + prefix).turnTo(this.fields);
    this.inner.set(prefix, reader);
    return reader;
  }

  /** @returns the text of a field; null where there is none. @throws RejectedLine when it cannot be kept */
  text(key: string): string | null {
    const at = this.mapping.get(this.prefix + key);
    if (at === undefined) return null;
    const text = (this.fields[at] ?? '').trim();
    if (text === '') return null;
    if (text.length > TEXT_MAX)
      throw new RejectedLine(`${this.prefix}${key} is longer than ${TEXT_MAX} characters.`);
    if (text.includes('\0') || !text.isWellFormed())
      throw new RejectedLine(`${this.prefix}${key} has characters that cannot be kept.`);
    return text;
  }

  /** @returns what a field says; null where it says nothing that is understood, which is counted */
  parsed<T>(
    key: string,
    parse: (text: string) => T | null,
    isKnown: (value: T) => boolean = () => true,
  ): T | null {
    const text = this.text(key);
    if (text === null) return null;
    const value = parse(text);
    this.note(key, text, value !== null && isKnown(value));
    return value;
  }

  /** @returns the entries of a list, parted by ";", "|" or ","; those that are not understood are counted and left out */
  list(key: string, parse: (text: string) => string | null): string[] {
    const text = this.text(key);
    if (text === null) return [];
    const entries = parseList(text).flatMap((entry) => entry.trim() || []);
    return entries.slice(0, LIST_MAX).flatMap((entry) => {
      const value = parse(entry);
      this.note(key, entry, value !== null);
      return value ?? [];
    });
  }

  /** Counts a text that the vocabulary does not have. */
  note(key: string, text: string, isKnown: boolean): void {
    if (!isKnown) this.unknown.count(this.prefix + key, text);
  }
}

/** A list that was written as JSON, or with one of three marks; the comma only where neither of the others stands. */
function parseList(text: string): string[] {
  if (text.startsWith('[')) {
    try {
      const entries: unknown = JSON.parse(text);
      if (Array.isArray(entries)) return entries.filter((each) => typeof each === 'string');
    } catch {
      // Not JSON after all.
    }
  }
  return text.split(/[;|]/.test(text) ? /[;|]/ : ',');
}
