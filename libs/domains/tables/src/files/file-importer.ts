import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { AppError } from '@quarry/error-codes';
import type { ColumnJson } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import type { Database, TxCtx } from '@quarry/postgres';
import { cellFault } from '../import/cell-fault.js';
import { IMPORT_LIMITS } from '../import/import-request.js';
import { RequestFaults } from '../import/request-faults.js';
import { copyRows, insertTable } from '../import/table-copy.js';
import { isStorableText } from '../sql/storable-text.js';
import { lockWorkspace } from '../workspaces/workspaces.store.js';
import { cellJson, cellOf, TextKindInference } from './csv-cell.js';
import { columnsOf, cutText, type CsvColumn } from './csv-columns.js';
import { CsvSource, type CsvRecord } from './csv-source.js';
import { fileInMemory } from './file-bytes.js';
import { allowLongStatements } from './long-statements.js';
import { csvOfSpreadsheet, isSpreadsheet } from './spreadsheet.js';

/** Progress of an import: `checking` is the first reading of the file, `writing` the second. */
export type OnFileProgress = (step: 'checking' | 'writing', part: number) => void;

interface CheckedFile {
  columns: ColumnJson[];
  rowCount: number;
}

/** Preview of an import. */
export interface FilePreview extends CheckedFile {
  /** The first rows, as JSON texts of their values. */
  rows: string[];
  hasHeader: boolean;
}

/** Bytes needed to tell a workbook from a text. */
const BEGINNING_BYTES = 8;
/** Rows of a preview. Source: docs/contract.md#10-the-web-application. */
const PREVIEW_ROWS = 20;

/**
 * Imports CSV files, and the first sheets of XLSX workbooks. A file is read twice: first to check every cell and infer the kinds
 * of its columns, then to copy it into the database, in one transaction. So memory does not depend on the size of a CSV file.
 */
export class FileImporter {
  constructor(private readonly database: Database) {}

  /**
   * @param file.name name of the table; defaults to that of the file
   * @returns the new table's id, columns and number of rows
   * @throws AppError invalid_request naming row and column of at most the first hundred faults; workspace_not_found
   */
  async importFile(
    ctx: Ctx,
    file: { workspaceId: string; path: string; name?: string },
    onProgress: OnFileProgress = () => undefined,
  ): Promise<CheckedFile & { id: string }> {
    const source = await sourceAt(ctx, file.path);
    const checked = await checkFile(source, (part) => onProgress('checking', part));
    const id = newId('tbl');
    const name = tableName(file.name ?? basename(file.path, extname(file.path)));
    const table = { id, workspaceId: file.workspaceId, name };
    await this.database.transaction(ctx, (tx) =>
      this.writeTable(tx, table, { source, checked }, (part) => onProgress('writing', part)),
    );
    return { id, ...checked };
  }

  /**
   * Checks a file in memory once.
   * @param hasHeader whether its first row names the columns; detected when left out
   * @returns a function that writes it as a table in the caller's transaction
   * @throws AppError invalid_request like {@link importFile}
   */
  async prepareImport(
    ctx: Ctx,
    bytes: Buffer,
    hasHeader?: boolean,
  ): Promise<(tx: TxCtx, table: { id: string; workspaceId: string; name: string }) => Promise<void>> {
    const source = await sourceOf(ctx, bytes, hasHeader);
    const checked = await checkFile(source, () => undefined);
    return (tx, table) =>
      this.writeTable(tx, { ...table, name: tableName(table.name) }, { source, checked }, () => undefined);
  }

  /** @returns columns, number of rows and the first rows; nothing is written @throws AppError invalid_request */
  async previewFile(ctx: Ctx, bytes: Buffer, hasHeader?: boolean): Promise<FilePreview> {
    const source = await sourceOf(ctx, bytes, hasHeader);
    const checked = await checkFile(source, () => undefined);
    for await (const batch of source.batches())
      return {
        ...checked,
        hasHeader: source.hasHeader,
        rows: batch.slice(0, PREVIEW_ROWS).map((record) => rowJson(checked.columns, record)),
      };
    return { ...checked, hasHeader: source.hasHeader, rows: [] };
  }

  private async writeTable(
    tx: TxCtx,
    table: { id: string; workspaceId: string; name: string },
    { source, checked }: { source: CsvSource; checked: CheckedFile },
    onProgress: (part: number) => void,
  ): Promise<void> {
    await allowLongStatements(this.database, tx);
    await lockWorkspace(this.database, tx, table.workspaceId);
    const rowSet = await insertTable(this.database, tx, { ...table, ...checked });
    await this.copyRows(tx, rowSet, source, checked, onProgress);
  }

  private async copyRows(
    tx: TxCtx,
    rowSet: string,
    source: CsvSource,
    checked: CheckedFile,
    onProgress: (part: number) => void,
  ): Promise<void> {
    let rows = 0;
    const texts = async function* () {
      for await (const batch of source.batches(onProgress)) {
        rows += batch.length;
        yield batch.map((record) => rowJson(checked.columns, record));
      }
    };
    await copyRows(this.database, tx, rowSet, texts());
    if (rows !== checked.rowCount) throw changedFile();
  }
}

async function sourceAt(ctx: Ctx, path: string): Promise<CsvSource> {
  const file = await open(path);
  try {
    const { buffer: beginning } = await file.read({ buffer: Buffer.alloc(BEGINNING_BYTES), position: 0 });
    if (!isSpreadsheet(beginning)) return await CsvSource.open(path);
    return await sourceOf(ctx, await file.readFile());
  } finally {
    await file.close();
  }
}

async function sourceOf(ctx: Ctx, bytes: Buffer, hasHeader?: boolean): Promise<CsvSource> {
  const csv = isSpreadsheet(bytes) ? await csvOfSpreadsheet(bytes, ctx.orgId) : bytes;
  return CsvSource.open(fileInMemory(csv), hasHeader);
}

/** Reads the whole file once. @throws AppError invalid_request */
async function checkFile(source: CsvSource, onProgress: (part: number) => void): Promise<CheckedFile> {
  const faults = new RequestFaults('The file');
  const columns = columnsOf(source.header, source.width, faults);
  const kinds = columns.map(() => new TextKindInference());
  let rowCount = 0;
  for await (const batch of source.batches(onProgress)) {
    for (const record of batch) checkRecord(faults, columns, kinds, record);
    rowCount += batch.length;
    if (faults.isFull) break;
  }
  faults.throwIfAny();
  return {
    columns: columns.map((column, at) => ({ ...column, kind: kinds[at]!.kind, qualification: {} })),
    rowCount,
  };
}

function checkRecord(
  faults: RequestFaults,
  columns: readonly CsvColumn[],
  kinds: readonly TextKindInference[],
  { row, line, fields }: CsvRecord,
): void {
  const place = () => `row ${row} (line ${line})`;
  for (const [at, field] of fields.entries()) {
    const text = cellOf(field);
    if (text === null) continue;
    const column = columns[at];
    const fault = column ? cellFault(text) : `has more cells than the ${columns.length} columns`;
    if (fault) faults.add(`${place()}, column ${column?.key ?? at + 1}`, fault);
    else kinds[at]!.observe(text);
  }
}

/** Missing cells at the end of a row are null. */
function rowJson(columns: readonly ColumnJson[], { fields }: CsvRecord): string {
  const members = columns.map(({ key, kind }, at) => {
    const json = cellJson(kind, cellOf(fields[at] ?? ''));
    if (json === null) throw changedFile();
    return `${JSON.stringify(key)}:${json}`;
  });
  return `{${members.join(',')}}`;
}

/**
 * Returns the error for a file that changed between the two readings: the import would write something else than it has checked.
 */
function changedFile(): AppError {
  return new AppError('invalid_request', 'The file changed while it was read. Nothing was imported.');
}

function tableName(name: string): string {
  if (name === '' || !isStorableText(name))
    throw new AppError('invalid_request', 'The name of the table has characters that cannot be stored.');
  return cutText(name, IMPORT_LIMITS.nameCharactersMax);
}
