import { COLUMN_KINDS, EXPORT_FORMATS, TABLES_RPC } from '@quarry/dto';
import { AppError, excerpt } from '@quarry/error-codes';
import { requireId } from '@quarry/app';
import { z } from 'zod';
import { countFitting } from '../answer-size.js';
import { pageThatFits, type CursorPage, type ReadPage } from '../page-that-fits.js';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS, FREE } from '../tool.js';
import { args, cursor, id, idempotencyKey, keyOf, limit, paged } from './arguments.js';

const FIT_STATUSES = ['qualified', 'disqualified', 'unknown'] as const;
/** Maximum number of rows per import: more are a file for the HTTP route. */
const IMPORT_ROWS_MAX = 500;
/** Rows per read when only some are requested, and maximum number of such reads per call. */
const SCAN_ROWS = 200;
const SCANS_MAX = 10;

interface Column {
  key: string;
  [field: string]: unknown;
}

/** Arguments that identify a table: a live one, or a frozen one of a run. */
const namedTable = {
  table_id: id('A live table.').optional(),
  run_id: id('The run of a frozen table.').optional(),
  table_key: id('The key of a frozen table.').optional(),
};
type NamedTable = Partial<Record<keyof typeof namedTable, string | undefined>>;

/** Table as routes return it. */
interface Table {
  id: string;
  workspace_id: string;
  name: string;
  columns: Column[];
  row_count: number;
  fit_counts: Record<string, number>;
}

export const tableList = defineTool({
  ...FREE,
  name: 'table_list',
  title: 'List tables',
  description:
    'Lists the tables of a workspace, or of all workspaces, the newest first, with their counts and the keys of their columns. table_get reads more about one, table_rows_get reads its rows.',
  input: args({
    workspace_id: z.string().min(1).optional(),
    query: z.string().min(1).max(200).optional().describe('Part of the name.'),
    limit: limit(100, 25),
    cursor,
  }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  async run({ workspace_id: workspace, query, limit: most, cursor: from }, call) {
    const of = { workspaceId: workspace === undefined ? null : requireId('ws', workspace), q: query ?? null };
    const offset = call.cursors.positionOf(call.ctx, 'table_list', of, from);
    const page = await call.readRpc(TABLES_RPC.findTables, { ...of, limit: most, offset });
    const tables = (page.items as Table[]).map(({ columns, ...table }) => ({
      ...shownTable({ ...table, columns }),
      columns: columns.map(({ key }) => key),
    }));
    const shown = tables.slice(0, countFitting(tables, {}));
    const isLast = shown.length === tables.length && page.next_offset === null;
    return {
      items: shown,
      next_cursor: isLast ? null : call.cursors.cursorAt(call.ctx, 'table_list', of, offset + shown.length),
      truncated: shown.length < tables.length,
    };
  },
});

export const tableGet = defineTool({
  ...FREE,
  name: 'table_get',
  title: 'Read a table',
  description: 'Reads the columns, criteria and counts of one table. table_rows_get reads the rows.',
  input: args({ table_id: z.string().min(1) }),
  effects: EFFECTS.reads,
  holdsForeignText: true,
  run: async ({ table_id }, call) =>
    shownTable(
      (await call.readRpc(TABLES_RPC.getTable, { tableId: requireId('tbl', table_id) })) as unknown as Table,
    ),
});

export const tableRowsGet = defineTool({
  ...FREE,
  name: 'table_rows_get',
  title: 'Read rows',
  description:
    'Reads a page of rows: of a live table (table_id), or of a table as it was frozen when its run ended (run_id and table_key, which the message of the run names). Name the columns you need, to get more rows in one answer.',
  input: args({
    ...namedTable,
    columns: z.array(z.string().min(1)).min(1).max(200).optional().describe('Keys of the columns to return.'),
    fit: z.enum(FIT_STATUSES).optional().describe('Only rows with this fit.'),
    with_cells: z
      .boolean()
      .default(false)
      .describe('Also return the sources, reasons and confidence of each value.'),
    limit: limit(200, 25),
    cursor,
  }),
  output: args({
    items: z
      .array(z.record(z.string(), z.unknown()))
      .describe('row_id, values by column key, fit; cells on request.'),
    truncated: z.boolean().describe('True when items or parts of texts did not fit into the answer.'),
    more: z.string().optional(),
    ...paged,
  }),
  effects: EFFECTS.reads,
  holdsForeignText: true,
  async run(
    { table_id, run_id, table_key, columns, fit, with_cells: withCells, limit: most, cursor: from },
    call,
  ) {
    const read = rowsOf({ table_id, run_id, table_key }, call);
    const shown = (row: Row) => shownRow(row, columns ?? null, withCells);
    if (fit === undefined)
      return {
        ...(await pageThatFits(
          most,
          (wanted) => read(wanted, from ?? null),
          (row) => shown(row as unknown as Row),
        )),
      };
    const page = await evaluatedRows(read, {
      limit: most,
      cursor: from ?? null,
      isWanted: (row) => row.fit.status === fit,
      shown,
    });
    return { ...page };
  },
});

export const tableImport = defineTool({
  ...FREE,
  name: 'table_import',
  title: 'Import a table',
  description:
    'Creates a table with columns and up to 500 rows, all or nothing. Every property of a row must be the key of a column. A prompt of retriever_build_list_start can then name the table.',
  input: args({
    workspace_id: id('Omitted, a workspace with the same name is created.').optional(),
    name: z.string().min(1).max(200),
    columns: z
      .array(
        args({
          key: z.string().min(1).max(64),
          name: z.string(),
          kind: z.enum(COLUMN_KINDS).optional().describe('Inferred from the values by default.'),
        }),
      )
      .min(1)
      .max(200),
    rows: z.array(z.record(z.string(), z.unknown())).max(IMPORT_ROWS_MAX),
    idempotency_key: idempotencyKey,
  }),
  effects: EFFECTS.writes,
  holdsForeignText: false,
  async run({ workspace_id, name, columns, rows, ...rest }, call) {
    const key = keyOf(rest);
    const place = await workspaceFor(workspace_id, name, key, call);
    const body = JSON.stringify({ name, columns, rows });
    const made = await call
      .callRpc(TABLES_RPC.importTable, { workspaceId: place.id, body, idempotencyKey: key })
      .catch(async (error: unknown) => {
        // A new workspace whose table was rejected is unknown to the caller. With a key, the corrected call finds it again.
        if (place.isNew && key === null)
          await call.callRpc(TABLES_RPC.archiveWorkspace, { workspaceId: place.id });
        throw error;
      });
    return shownTable(JSON.parse(made.json) as Table);
  },
});

/** Lifetime of a file's link in hours. */
const LINK_HOURS = 24;

export const tableExport = defineTool({
  ...FREE,
  name: 'table_export',
  title: 'Export a table',
  description:
    'Exports a live table as it is now (table_id), or a frozen table of a run (run_id and table_key), as CSV or JSON. Returns a link that opens the file without a key for 24 hours, not its content. Anyone with the link can read the file.',
  input: args({ ...namedTable, format: z.enum(EXPORT_FORMATS), idempotency_key: idempotencyKey }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  async run({ format, idempotency_key, ...named }, call) {
    const table = tableOf(named);
    const idempotencyKey = keyOf({ idempotency_key });
    const made =
      'tableId' in table
        ? await call.callRpc(TABLES_RPC.createTableExport, { ...table, body: { format }, idempotencyKey })
        : await call.callRpc(TABLES_RPC.createExport, { ...table, format, idempotencyKey });
    const { id: exportId, byte_length } = JSON.parse(made.json) as { id: string; byte_length: number };
    const { token } = await call.callRpc(TABLES_RPC.createExportLink, { exportId, hours: LINK_HOURS });
    return { export_id: exportId, byte_length, url: `${call.baseUrl}/v1/links/${token}` };
  },
});

interface Row {
  id: string;
  values: Record<string, unknown>;
  cells: Record<string, unknown>;
  fit: { status: (typeof FIT_STATUSES)[number]; score: number | null; reason: string | null };
}

type ReadRows = (limit: number, cursor: string | null) => Promise<Record<string, unknown>>;

/** @throws AppError invalid_request unless exactly one table is identified */
function tableOf(named: NamedTable): { tableId: string } | { runId: string; tableKey: string } {
  const { table_id, run_id, table_key: tableKey } = named;
  if (table_id !== undefined && run_id === undefined && tableKey === undefined)
    return { tableId: requireId('tbl', table_id) };
  if (table_id === undefined && run_id !== undefined && tableKey !== undefined)
    return { runId: requireId('run', run_id), tableKey };
  throw new AppError('invalid_request', 'Give either table_id, or run_id and table_key.');
}

function rowsOf(named: NamedTable, call: ToolCall): ReadRows {
  const table = tableOf(named);
  return (limit, cursor) =>
    'tableId' in table
      ? call.readRpc(TABLES_RPC.listRows, { ...table, limit, cursor })
      : call.readRpc(TABLES_RPC.listFrozenRows, { ...table, limit, cursor });
}

/**
 * Scans the table for matching rows, with a limited number of pages per call: a result may have fewer items than requested,
 * or none, and still a next page.
 */
async function evaluatedRows<Shown>(
  read: ReadRows,
  wanted: {
    limit: number;
    cursor: string | null;
    isWanted: (row: Row) => boolean;
    shown: (row: Row) => Shown;
  },
): Promise<CursorPage<Shown>> {
  const items: Shown[] = [];
  let at = wanted.cursor;
  for (let scan = 0; scan < SCANS_MAX; scan += 1) {
    const page = (await read(SCAN_ROWS, at)) as unknown as ReadPage<Row>;
    const found = page.items.flatMap((row, index) =>
      wanted.isWanted(row) ? [{ row: wanted.shown(row), index }] : [],
    );
    const both = [...items, ...found.map(({ row }) => row)];
    const fitting = countFitting(both, {});
    const capacity = Math.min(wanted.limit, fitting) - items.length;
    if (capacity < found.length) {
      // Cursor of the page that ends with the last row that fits.
      const end = capacity <= 0 ? at : await cursorBehind(read, at, found[capacity - 1]!.index + 1);
      return {
        items: [...items, ...found.slice(0, Math.max(0, capacity)).map(({ row }) => row)],
        next_cursor: end,
        truncated: fitting < Math.min(wanted.limit, both.length),
      };
    }
    items.push(...found.map(({ row }) => row));
    at = page.next_cursor;
    if (at === null) break;
  }
  return { items, next_cursor: at, truncated: false };
}

async function cursorBehind(read: ReadRows, cursor: string | null, rows: number): Promise<string | null> {
  return ((await read(rows, cursor)) as unknown as ReadPage<Row>).next_cursor;
}

/** @throws AppError invalid_request for a column that the row does not have */
function shownRow(
  { id: row_id, values, cells, fit }: Row,
  columns: readonly string[] | null,
  withCells: boolean,
) {
  const only = (of: Record<string, unknown>) =>
    columns === null ? of : Object.fromEntries(Object.entries(of).filter(([key]) => columns.includes(key)));
  const unknown = columns?.find((key) => !Object.hasOwn(values, key));
  if (unknown !== undefined)
    throw new AppError(
      'invalid_request',
      `The table has no column ${excerpt(unknown)}; table_get lists its columns.`,
    );
  const { status, score, reason } = fit;
  return {
    row_id,
    values: only(values),
    fit: { status, score, reason },
    ...(withCells ? { cells: only(cells) } : {}),
  };
}

async function workspaceFor(
  named: string | undefined,
  name: string,
  idempotencyKey: string | null,
  call: ToolCall,
): Promise<{ id: string; isNew: boolean }> {
  if (named !== undefined) return { id: requireId('ws', named), isNew: false };
  const made = await call.readRpc(TABLES_RPC.createWorkspace, { name, idempotencyKey });
  return { id: made.id as string, isNew: true };
}

/** @returns a table as tools return it: ids have the names of the arguments that accept them */
export function shownTable({ id: tableId, workspace_id, name, columns, row_count, fit_counts }: Table) {
  return { table_id: tableId, workspace_id, name, columns, row_count, fit_counts };
}
