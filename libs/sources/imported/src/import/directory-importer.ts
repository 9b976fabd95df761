import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@quarry/error-codes';
import { systemCtx } from '@quarry/app';
import { ROLES, type Database, type RawClient } from '@quarry/postgres';
import { from as copyFrom } from 'pg-copy-streams';
import type { DirectoryFile } from './directory-file.js';
import { allowLongWork, buildIndexes } from '../tables/build-indexes.js';
import { DIRECTORY_NAME } from '@quarry/engine';
import { tableOf } from '../tables/directory-table.js';
import { dropTable } from '../tables/drop-table.js';
import { leaveOutErasedPeople } from '../tables/erased-people.js';
import { copyLine } from './copy-text.js';
import {
  FieldReader,
  type FieldMapping,
  RejectedLine,
  companyCells,
  personCells,
  UnknownWords,
  type UnknownField,
} from '@quarry/extraction';
import type { DirectoryKind } from '../tables/target-fields.catalogue.js';

/** Called with the progress of an import, from 0 to 1 in each step. */
export type OnImportProgress = (step: 'reading' | 'indexing', part: number) => void;

export interface ImportOrder {
  readonly kind: DirectoryKind;
  readonly name: string;
  readonly file: DirectoryFile;
  readonly mapping: FieldMapping;
  /** Name of the file, stored as the origin of the rows. */
  readonly source: string;
}

export interface ImportReport {
  readonly rowCount: number;
  readonly rejectedCount: number;
  /** First rejected lines. */
  readonly rejected: ReadonlyArray<{ readonly line: number; readonly reason: string }>;
  /** Words that are not in the vocabulary: stored as text, or omitted where only known words are allowed. */
  readonly unknown: readonly UnknownField[];
}

const REJECTED_SHOWN = 100;
const COPY_CHUNK_CHARACTERS = 256 * 1024;
/**
 * Lock timeout of the last step. Imports of one kind take it one after the other, and two others may drop their old tables
 * first.
 */
const SWITCH_LOCK = '5min';

/**
 * Imports directories. A file is streamed by COPY into a table of its own. The table is created, filled, indexed and
 * swapped in for its predecessor in a single transaction: a failure before its commit leaves everything unchanged.
 */
export class DirectoryImporter {
  constructor(private readonly database: Database) {}

  /** Reads and validates the whole file, without a database. @returns the report of an import */
  static async checkFile(
    order: ImportOrder,
    onProgress: OnImportProgress = () => undefined,
  ): Promise<ImportReport> {
    const lines = new ImportLines(order);
    for await (const _ of lines.chunks((part) => onProgress('reading', part)));
    return lines.report();
  }

  /**
   * @throws AppError invalid_request for an invalid name, for a file that cannot be read in its format, and for one without
   *   a valid line, which would empty the directory; the driver's error
   */
  async importFile(
    order: ImportOrder,
    onProgress: OnImportProgress = () => undefined,
  ): Promise<ImportReport> {
    if (!DIRECTORY_NAME.test(order.name))
      throw new AppError(
        'invalid_request',
        'The name of a directory must have 1 to 40 lower-case letters, digits and hyphens.',
      );
    const lines = new ImportLines(order);
    await this.database.withOwnConnection(systemCtx('directory-import'), async (client) => {
      await allowLongWork(client);
      const number = await makeTable(client, order.kind);
      await copyInto(client, tableOf(order.kind, number), order.kind, lines, (part) =>
        onProgress('reading', part),
      );
      lines.requireRows();
      lines.leaveOut(await dropRepeats(client, tableOf(order.kind, number)));
      await buildIndexes(client, order.kind, number, (part) => onProgress('indexing', part));
      await client.query(`SET LOCAL lock_timeout = '${SWITCH_LOCK}'`);
      if (order.kind === 'people') {
        const erased = await leaveOutErasedPeople(client, tableOf(order.kind, number));
        lines.leaveOut(erased.map((line) => ({ line, reason: 'This person was erased from directories.' })));
      }
      await putInPlace(client, order, number, lines.report());
    });
    return lines.report();
  }
}

/** Converts the lines of a file to rows and reports the invalid ones. */
class ImportLines {
  private readonly unknown = new UnknownWords();
  private readonly rejected: Array<{ line: number; reason: string }> = [];
  private rejectedCount = 0;
  private rowCount = 0;

  constructor(private readonly order: ImportOrder) {}

  /** @returns lines of COPY's text format, combined into chunks */
  async *chunks(onProgress: (part: number) => void): AsyncGenerator<Buffer> {
    const { kind, file, mapping } = this.order;
    const columns = COLUMNS[kind];
    const reader = new FieldReader(mapping, this.unknown);
    const cellsOf = kind === 'companies' ? companyCells : personCells;
    let chunk = '';
    for await (const batch of file.batches(onProgress)) {
      for (const { line, fields } of batch) {
        try {
          chunk += `${line}\t${copyLine(columns, cellsOf(reader.turnTo(fields)))}`;
          this.rowCount += 1;
        } catch (error) {
          if (!(error instanceof RejectedLine)) throw error;
          this.rejectLine(line, error.message);
        }
      }
      if (chunk.length < COPY_CHUNK_CHARACTERS) continue;
      yield Buffer.from(chunk);
      chunk = '';
      // The socket buffers many chunks before it applies backpressure; without this, no other task would run until then.
      await nextTurn();
    }
    if (chunk !== '') yield Buffer.from(chunk);
  }

  /** Counts rows that were accepted but are removed later. */
  leaveOut(rows: ReadonlyArray<{ line: number; reason: string }>): void {
    for (const { line, reason } of rows) this.rejectLine(line, reason);
    this.rowCount -= rows.length;
  }

  /** @throws AppError invalid_request */
  requireRows(): void {
    if (this.rowCount > 0) return;
    const reasons = this.rejected.slice(0, 1).map(({ line, reason }) => `Line ${line}: ${reason}`);
    throw new AppError('invalid_request', ['The file has no line to import.', ...reasons].join(' '));
  }

  report(): ImportReport {
    return {
      rowCount: this.rowCount,
      rejectedCount: this.rejectedCount,
      rejected: this.rejected,
      unknown: this.unknown.fieldsShown(),
    };
  }

  private rejectLine(line: number, reason: string): void {
    this.rejectedCount += 1;
    if (this.rejected.length < REJECTED_SHOWN) this.rejected.push({ line, reason });
  }
}

/** Columns in the order in which they are copied, after the position. Computed once, since they do not depend on a row. */
const COLUMNS: Readonly<Record<DirectoryKind, readonly string[]>> = columnsOf();

function columnsOf(): Record<DirectoryKind, readonly string[]> {
  const reader = (key: string) => {
    const mapping = new Map([
      [key, 0],
      ['company_name', 0],
    ]);
    return new FieldReader(mapping, new UnknownWords()).turnTo(['Some Name']);
  };
  return {
    companies: Object.keys(companyCells(reader('name'))),
    people: Object.keys(personCells(reader('full_name'))),
  };
}

/**
 * Creates the table with the columns of its parent. It inherits from the parent only in the last step, because that takes a
 * lock on the parent until the commit, which only one import can hold. The lock taken here is shared, and prevents
 * migrations from changing the columns meanwhile.
 * @returns the number at the end of the new table's name
 */
async function makeTable(client: RawClient, kind: DirectoryKind): Promise<number> {
  const { rows } = await client.query<{ number: string }>("SELECT nextval('directory.numbers') AS number");
  const number = Number(rows[0]!.number);
  const table = tableOf(kind, number);
  await client.query(
    `CREATE TABLE ${table} (LIKE directory.${kind} INCLUDING ALL EXCLUDING INDEXES); GRANT SELECT ON ${table} TO ${ROLES.serving}`,
  );
  return number;
}

/**
 * Copies the rows as frozen: they are visible to all transactions, so that searches need no visibility checks after the
 * commit.
 */
async function copyInto(
  client: RawClient,
  table: string,
  kind: DirectoryKind,
  lines: ImportLines,
  onProgress: (part: number) => void,
): Promise<void> {
  const copy = client.query(
    copyFrom(`COPY ${table} (position, ${COLUMNS[kind].join(', ')}) FROM STDIN (FREEZE)`),
  );
  await pipeline(Readable.from(lines.chunks(onProgress)), copy);
}

/** @returns the deleted lines: those with the same entity as an earlier line */
async function dropRepeats(
  client: RawClient,
  table: string,
): Promise<Array<{ line: number; reason: string }>> {
  const { rows } = await client.query<{ line: number; first: number }>(
    `DELETE FROM ${table} r USING (SELECT id, min(position) AS first FROM ${table} GROUP BY id HAVING count(*) > 1) d
     WHERE r.id = d.id AND r.position <> d.first RETURNING r.position AS line, d.first`,
  );
  return rows
    .sort((a, b) => a.line - b.line)
    .map(({ line, first }) => ({ line, reason: `It duplicates line ${first}.` }));
}

/** Swaps the table in. Searches that are running finish on the old table; concurrent ones use the old or the new table. */
async function putInPlace(
  client: RawClient,
  { kind, name, source }: ImportOrder,
  number: number,
  { rowCount, rejectedCount }: ImportReport,
): Promise<void> {
  // An advisory lock, since two concurrent imports of a new name have no row to lock.
  await client.query("SELECT pg_advisory_xact_lock(hashtext('directory ' || $1 || ' ' || $2))", [kind, name]);
  const { rows } = await client.query<{ number: number }>(
    'SELECT number FROM directory.directories WHERE kind = $1 AND name = $2 FOR UPDATE',
    [kind, name],
  );
  await client.query(
    `INSERT INTO directory.directories (kind, name, number, row_count, rejected_count, file) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (kind, name) DO UPDATE SET number = excluded.number, row_count = excluded.row_count,
       rejected_count = excluded.rejected_count, file = excluded.file, imported_at = clock_timestamp()`,
    [kind, name, number, rowCount, rejectedCount, source],
  );
  await client.query('INSERT INTO directory.first_import DEFAULT VALUES ON CONFLICT DO NOTHING');
  await client.query(`ALTER TABLE ${tableOf(kind, number)} INHERIT directory.${kind}`);
  const before = rows[0]?.number;
  if (before !== undefined) await dropTable(client, kind, before);
}
