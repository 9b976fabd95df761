import { once } from 'node:events';
import { extname } from 'node:path';
import stringWidth from 'string-width';
import { UsageError } from './exit-codes.js';
import { checkWritable, openPart, type PartFile } from './files.js';
import {
  COLUMN_WIDTH_MAX,
  cutTo,
  describeValue,
  inlineOf,
  layOut,
  textOf,
  withoutControls,
  type Layout,
} from './screen.js';

export type Format = 'table' | 'csv' | 'json' | 'jsonl';
type Row = Readonly<Record<string, unknown>>;

export interface OutputOptions {
  json?: boolean;
  jsonl?: boolean;
  csv?: boolean;
  output?: string;
  excel?: boolean;
  quiet?: boolean;
}

/** Rows that are buffered to determine the widths of columns before anything is printed. */
const SHOWN_ROWS = 100;
export const BYTE_ORDER_MARK = '\ufeff';

/** Writes the answer of a command to standard output, or to a file in the format of its extension. */
export class Output {
  readonly format: Format;
  /** True when no option requests a machine-readable format. */
  readonly isForPeople: boolean;
  /** Opened with the first byte, so that an earlier failure leaves the file unchanged. */
  private file: PartFile | null = null;

  constructor(private readonly options: OutputOptions) {
    this.format = formatOf(options);
    this.isForPeople = ![options.json, options.jsonl, options.csv, options.output].some(Boolean);
  }

  private get target(): NodeJS.WritableStream {
    const { output } = this.options;
    return output === undefined ? process.stdout : (this.file ??= openPart(output)).stream;
  }

  /**
   * Writes one document: JSON or one CSV record when requested, otherwise one name and value per line; nested values are
   * indented, and empty ones left out.
   */
  async writeDocument(document: Row): Promise<void> {
    if (this.format === 'csv' && !this.isForPeople) return this.writeRows([document]);
    if (this.format === 'json' || this.format === 'jsonl')
      await this.write(`${JSON.stringify(document, null, this.format === 'json' ? 2 : 0)}\n`);
    else
      for (const [name, value] of Object.entries(document))
        if (this.format === 'table') await this.write(describeValue(name, value));
        else if (value !== null && value !== undefined) await this.write(`${name}: ${textOf(value)}\n`);
    await this.waitForDrain();
  }

  /** Writes rows as they arrive. @param columns their keys in order; those of the first row when left out */
  async writeRows(rows: AsyncIterable<Row> | Iterable<Row>, columns?: readonly string[]): Promise<void> {
    if (this.format === 'table') await this.writeTable(rows, columns);
    else if (this.format === 'csv') await this.writeCsv(rows, columns);
    else await this.writeJson(rows);
    await this.waitForDrain();
  }

  /** Buffers the first rows to determine the widths of columns. */
  private async writeTable(
    rows: AsyncIterable<Row> | Iterable<Row>,
    columns?: readonly string[],
  ): Promise<void> {
    let keys = columns;
    let first: Row[] = [];
    let layout: Layout | null = null;
    for await (const row of rows) {
      keys ??= Object.keys(row);
      if (layout) await this.write(this.formatLine(layout, row));
      else if (first.push(row) === SHOWN_ROWS) {
        layout = await this.writeFirst(keys, first);
        first = [];
      }
    }
    layout ??= await this.writeFirst(keys ?? [], first);
    this.tellLeftOut(keys ?? [], layout);
  }

  private async writeCsv(
    rows: AsyncIterable<Row> | Iterable<Row>,
    columns?: readonly string[],
  ): Promise<void> {
    let keys: readonly string[] | null = null;
    for await (const row of rows) {
      if (!keys) {
        keys = columns ?? Object.keys(row);
        await this.write((this.options.excel ? BYTE_ORDER_MARK : '') + csvLine(keys));
      }
      await this.write(csvLine(keys.map((key) => textOf(row[key]))));
    }
    if (!keys && columns) await this.write(csvLine(columns));
  }

  private async writeJson(rows: AsyncIterable<Row> | Iterable<Row>): Promise<void> {
    const isList = this.format === 'json';
    let count = 0;
    for await (const row of rows) {
      count += 1;
      const json = JSON.stringify(row);
      await this.write(isList ? `${count === 1 ? '[' : ','}\n${json}` : `${json}\n`);
    }
    if (isList) await this.write(count === 0 ? '[]\n' : '\n]\n');
  }

  private async writeFirst(keys: readonly string[], rows: readonly Row[]): Promise<Layout> {
    const widest = (key: string): number =>
      Math.max(...[key, ...rows.map((row) => inlineOf(row[key]))].map((text) => stringWidth(text)));
    const layout = layOut(
      keys,
      keys.map((key) => Math.min(COLUMN_WIDTH_MAX, widest(key))),
      process.stdout.columns || 80,
    );
    if (rows.length === 0) await this.write('No entries.\n');
    else
      await this.write(
        this.formatLine(layout, Object.fromEntries(keys.map((key) => [key, key.toUpperCase()]))),
      );
    for (const row of rows) await this.write(this.formatLine(layout, row));
    return layout;
  }

  private formatLine({ keys, widths }: Layout, row: Row): string {
    const cells = keys.map((key, at) => cutTo(inlineOf(row[key]), widths[at]!));
    return `${cells.join('  ').trimEnd()}\n`;
  }

  /** Says which columns the screen was too narrow for. */
  private tellLeftOut(keys: readonly string[], { keys: shown }: Layout): void {
    const left = keys.filter((key) => !shown.includes(key));
    if (left.length === 0 || this.options.quiet) return;
    process.stderr.write(
      `Hidden, because the screen is too narrow: ${left.join(', ')}. -o FILE.csv has all columns.\n`,
    );
  }

  async write(text: string): Promise<void> {
    const { target } = this;
    const isScreen = target === process.stdout && process.stdout.isTTY;
    if (!target.write(isScreen ? this.toHarmless(text) : text)) await once(target, 'drain');
  }

  /** Removes control characters for a terminal; JSON keeps them as escape sequences. */
  private toHarmless(text: string): string {
    if (this.format !== 'json' && this.format !== 'jsonl') return withoutControls(text);
    return text.replace(/[\u007f-\u009f]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
  }

  private async waitForDrain(): Promise<void> {
    const { target } = this;
    if (target === process.stdout) return;
    target.end();
    await once(target, 'finish');
    await this.file?.finish();
  }
}

/**
 * Beginning of a cell that a spreadsheet may execute as a formula: = + - @ (also full width) or a control character, after any
 * white space. Source: docs/reliability.md, CSV cells; OWASP, “CSV Injection”.
 */
const FORMULA_START =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /^[\s\u200b\u2060]*(?:[=+\-@\uff1d\uff0b\uff0d\uff20]|[\u0000-\u0008\u000e-\u001f])|^\s*[\t\r]/;
const NUMBER = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i;

/** Returns a record of RFC 4180; a cell that looks like a formula gets an apostrophe in front. */
export function csvLine(fields: readonly string[]): string {
  return `${fields
    .map((field) => {
      const safe = FORMULA_START.test(field) && !NUMBER.test(field) ? `'${field}` : field;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    })
    .join(',')}\r\n`;
}

/**
 * Returns the output format: from an option, or else from the extension of the file.
 * @throws UsageError for an unknown extension, and for a file that cannot be written
 */
export function formatOf({ json, jsonl, csv, output }: OutputOptions): Format {
  if (output !== undefined) checkWritable(output);
  if (json) return 'json';
  if (jsonl) return 'jsonl';
  if (csv) return 'csv';
  if (output !== undefined) return formatOfFile(output);
  return process.stdout.isTTY ? 'table' : 'csv';
}

function formatOfFile(path: string): Format {
  const format = extname(path).slice(1).toLowerCase();
  if (format === 'csv' || format === 'json' || format === 'jsonl') return format;
  throw new UsageError(`--output must end with .csv, .json or .jsonl, not ${extname(path) || 'nothing'}.`);
}
