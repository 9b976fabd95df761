import { excerpt } from '@quarry/error-codes';

/** Path from the root of a document to a value: keys and list indexes. */
export type JsonPath = ReadonlyArray<string | number>;

/**
 * Reason why a document is refused. `unreadable`: it is not JSON, or parsers disagree about it; `forbidden`: it is JSON with a
 * value that this service cannot store.
 */
export interface JsonFault {
  kind: 'unreadable' | 'forbidden' | 'unrecognized';
  path: JsonPath;
  message: string;
}

interface Frame {
  readonly isArray: boolean;
  /** Index of the current item in a list. */
  index: number;
  /** Current key of an object, as written. */
  key: string;
  /** Number of leading keys that are the same, in the same order, as in the previous object at this depth. */
  sharedKeys: number;
  /** All keys so far; created only when the object differs from the previous one. */
  keys: Set<string> | null;
  /** Raw keys in order, to compare the next object with. */
  shape: string[];
}

/** Deepest nesting that is accepted. Source: docs/contract.md#2-order-of-checks. */
export const JSON_DEPTH_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORDS = ['true', 'false', 'null'];
// Tokens that may come next: a value, the first key or item or the end of an empty container, a further key, or a separator.
type Expect = 'value' | 'first-item' | 'first-key' | 'key' | 'separator' | 'end';

/**
 * Scans a JSON text without building values, and finds what JSON.parse accepts silently: duplicate keys (the last one wins),
 * unlimited nesting, NUL and lone surrogates (PostgreSQL rejects them), numbers that become Infinity, `__proto__`. Whatever it
 * accepts, JSON.parse accepts too. It runs piece by piece, so that a text of many megabytes does not block the process.
 */
export class JsonScan {
  private at = 0;
  private nodes = 0;
  private expect: Expect = 'value';
  private readonly frames: Frame[] = [];
  private readonly shapes: string[][] = [];

  constructor(
    private readonly text: string,
    private readonly nodesMax: number,
  ) {}

  /**
   * Scans about `characters` further.
   * @returns `true` at the end of a valid document, `false` when there is more to scan, or the first fault
   */
  advance(characters: number): boolean | JsonFault {
    const until = this.at + characters;
    try {
      while (this.at < until) {
        this.skipSpace();
        if (this.at >= this.text.length) {
          if (this.expect === 'end') return true;
          throw unreadableBody();
        }
        this.step(this.text.charCodeAt(this.at));
      }
      return false;
    } catch (error) {
      if (error instanceof ScanStop) return { ...error.fault, path: error.fault.path ?? this.path() };
      throw error;
    }
  }

  private step(code: number): void {
    switch (this.expect) {
      case 'first-item':
        return code === 0x5d ? this.close() : this.value(code);
      case 'value':
        return this.value(code);
      case 'first-key':
        return code === 0x7d ? this.close() : this.key(code);
      case 'key':
        return this.key(code);
      case 'separator':
        return this.separator(code);
      case 'end':
        throw unreadableBody();
    }
  }

  private value(code: number): void {
    this.nodes += 1;
    if (this.nodes > this.nodesMax)
      throw refuseBody('unreadable', `The body has more than ${this.nodesMax} values.`, []);
    if (code === QUOTE) {
      this.string(() => this.path());
      this.afterValue();
    } else if (code === 0x7b || code === 0x5b) this.open(code === 0x5b);
    else {
      if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.number();
      else this.word();
      this.afterValue();
    }
  }

  private open(isArray: boolean): void {
    if (this.frames.length >= JSON_DEPTH_MAX) {
      throw refuseBody('unreadable', `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
    }
    const frame: Frame = { isArray, index: 0, key: '', sharedKeys: 0, keys: null, shape: [] };
    this.frames.push(frame);
    this.expect = isArray ? 'first-item' : 'first-key';
    this.at += 1;
  }

  private close(): void {
    const frame = this.frames.pop();
    // Rows of a table usually have the same keys in the same order: keep those of the last object for the next.
    if (frame?.keys) this.shapes[this.frames.length] = frame.shape;
    this.at += 1;
    this.afterValue();
  }

  private separator(code: number): void {
    const frame = this.frames.at(-1);
    if (!frame) throw unreadableBody();
    if (code === 0x2c) {
      this.at += 1;
      frame.index += 1;
      this.expect = frame.isArray ? 'value' : 'key';
    } else if (code === (frame.isArray ? 0x5d : 0x7d)) this.close();
    else throw unreadableBody();
  }

  private key(code: number): void {
    const frame = this.frames.at(-1);
    if (code !== QUOTE || !frame) throw unreadableBody();
    const from = this.at + 1;
    const expected = this.shapes[this.frames.length - 1]?.[frame.sharedKeys];
    if (
      frame.keys === null &&
      expected !== undefined &&
      this.text.startsWith(expected, from) &&
      this.text.charCodeAt(from + expected.length) === QUOTE
    ) {
      // The same text as in an object that was valid: no need to check it again.
      frame.sharedKeys += 1;
      frame.key = expected;
      this.at = from + expected.length + 1;
    } else this.newKey(frame, from);
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== 0x3a) throw unreadableBody();
    this.at += 1;
    this.expect = 'value';
  }

  private newKey(frame: Frame, from: number): void {
    const parent = () => this.frames.slice(0, -1).map(stepOf);
    const isPlain = this.string(parent);
    const raw = this.text.slice(from, this.at - 1);
    const key = isPlain ? raw : (JSON.parse(`"${raw}"`) as string);
    if (!frame.keys) {
      frame.shape = (this.shapes[this.frames.length - 1] ?? []).slice(0, frame.sharedKeys);
      frame.keys = new Set(frame.shape.map((known) => JSON.parse(`"${known}"`) as string));
    }
    if (key === '__proto__') throw refuseBody('unrecognized', 'Unrecognized key: "__proto__"', parent());
    if (frame.keys.has(key)) {
      throw refuseBody('unreadable', `The key ${JSON.stringify(excerpt(key))} is given twice.`, [
        ...parent(),
        key,
      ]);
    }
    frame.keys.add(key);
    frame.shape.push(raw);
    frame.key = raw;
  }

  /** @returns whether the string has no escapes. */
  private string(path: () => JsonPath): boolean {
    let isPlain = true;
    for (let at = this.at + 1; ; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return isPlain;
      }
      if (code === BACKSLASH) {
        isPlain = false;
        at = this.escape(at, path);
      } else if (!(code >= 0x20)) throw unreadableBody();
    }
  }

  /** @returns the position of the escape's last character. */
  private escape(at: number, path: () => JsonPath): number {
    const kind = this.text[at + 1];
    if (kind !== 'u') {
      if (kind === undefined || !'"\\/bfnrt'.includes(kind)) throw unreadableBody();
      return at + 1;
    }
    const unit = this.codeUnit(at + 2);
    if (unit === 0) throw refuseBody('forbidden', 'must not contain the NUL character', path());
    if (unit < 0xd800 || unit > 0xdfff) return at + 5;
    const low = unit < 0xdc00 && this.text.startsWith('\\u', at + 6) ? this.codeUnit(at + 8) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
      throw refuseBody('forbidden', 'must not contain half of a surrogate pair', path());
    }
    return at + 11;
  }

  private codeUnit(at: number): number {
    const digits = this.text.slice(at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw unreadableBody();
    return parseInt(digits, 16);
  }

  private number(): void {
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.text)?.[0];
    if (digits === undefined) throw unreadableBody();
    // Only numbers of at least this length can exceed a double; most are shorter.
    if (digits.length > 4 && !Number.isFinite(Number(digits))) {
      throw refuseBody('forbidden', 'must be a number that fits a 64-bit float', this.path());
    }
    this.at += digits.length;
  }

  private word(): void {
    const word = WORDS.find((candidate) => this.text.startsWith(candidate, this.at));
    if (!word) throw unreadableBody();
    this.at += word.length;
  }

  private afterValue(): void {
    this.expect = this.frames.length > 0 ? 'separator' : 'end';
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private path(): JsonPath {
    return this.frames.map(stepOf);
  }
}

/** Ends a scan, within this file only. Not an Error: a stack trace would cost more than most scans. */
class ScanStop {
  constructor(readonly fault: Omit<JsonFault, 'path'> & { path: JsonPath | null }) {}
}

function unreadableBody(): ScanStop {
  return new ScanStop({ kind: 'unreadable', message: 'The body must be valid JSON.', path: [] });
}

function refuseBody(kind: JsonFault['kind'], message: string, path: JsonPath | null = null): ScanStop {
  return new ScanStop({ kind, message, path });
}

function stepOf(frame: Frame): string | number {
  return frame.isArray ? frame.index : (JSON.parse(`"${frame.key}"`) as string);
}
