import type { UnknownWords } from './unknown-words.js';
import { RejectedLine } from './rejected-line.js';

/** Longer than any description; a longer text comes from a file with incorrect quoting. */
const TEXT_MAX = 10_000;
const LIST_MAX = 200;

/** Column numbers of a file, from 0, by the fields of an import. */
export type FieldMapping = ReadonlyMap<string, number>;

/** Reads the fields of one record after the other. */
export class FieldReader {
  private fields: readonly string[] = [];
  private readonly inner = new Map<string, FieldReader>();

  constructor(
    private readonly mapping: FieldMapping,
    private readonly unknown: UnknownWords,
    private readonly prefix = '',
  ) {}

  /** Switches to another record. */
  turnTo(fields: readonly string[]): this {
    this.fields = fields;
    for (const reader of this.inner.values()) reader.turnTo(fields);
    return this;
  }

  /** @returns a reader of the fields with this prefix, addressed without it */
  within(prefix: string): FieldReader {
    const known = this.inner.get(prefix);
    if (known) return known;
    const reader = new FieldReader(this.mapping, this.unknown, this.prefix + prefix).turnTo(this.fields);
    this.inner.set(prefix, reader);
    return reader;
  }

  /** @returns the text of a field; null when it is empty. @throws RejectedLine when it cannot be stored */
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

  /** @returns the parsed value of a field; null when it is empty or not understood. The latter is counted */
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

  /** @returns the entries of a list separated by ";", "|" or ","; those that are not understood are counted and omitted */
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

  /** Counts a text that is not in the vocabulary. */
  note(key: string, text: string, isKnown: boolean): void {
    if (!isKnown) this.unknown.count(this.prefix + key, text);
  }
}

/** Splits a JSON list, or one with one of three separators; the comma only if neither of the others occurs. */
function parseList(text: string): string[] {
  if (text.startsWith('[')) {
    try {
      const entries: unknown = JSON.parse(text);
      if (Array.isArray(entries)) return entries.filter((each) => typeof each === 'string');
    } catch {
      // It is not JSON.
    }
  }
  return text.split(/[;|]/.test(text) ? /[;|]/ : ',');
}
