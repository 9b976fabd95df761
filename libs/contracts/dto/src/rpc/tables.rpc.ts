import type { ExclusionItem, ExclusionKind } from '../exclusions.js';
import type { CreateViewRequest } from '../table-views.js';
import type { CreateTableExportRequest, ExportFormat } from '../workspaces.js';
import type { JsonBody, JsonText } from '../resources/json-text.js';
import type {
  ErasureReceipt,
  ExclusionPage,
  ExclusionsAdded,
  ExclusionsDeleted,
  ExclusionsSynchronised,
} from '../resources/exclusions.resources.js';
import type {
  Export,
  FilePreview,
  Row,
  RowPage,
  Table,
  TablePage,
  TableView,
  TableWindow,
  Workspace,
  WorkspacePage,
} from '../resources/tables.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** Response headers and size of a completed export; the bytes are read in chunks. */
export interface ExportHead {
  id: string;
  contentType: string;
  filename: string;
  byteLength: number;
  /** Strong entity tag, quotes included. */
  etag: string;
}

interface Page {
  limit: number;
  offset: number;
}

/** Entries to add or remove; a dry run returns the same and changes nothing. */
interface ExclusionItems {
  kind: ExclusionKind;
  items: ExclusionItem[];
  dryRun?: boolean;
}

/** Calls handled by the tables service. JsonText responses are the public body as in the contract. */
export const TABLES_RPC = {
  listWorkspaces: defineMethod<Page, JsonText<typeof WorkspacePage>>('tables.workspaces.list', 'read'),
  createWorkspace: defineMethod<{ name: string } & Keyed, JsonText<typeof Workspace>>(
    'tables.workspaces.create',
    'write',
  ),
  getWorkspace: defineMethod<{ workspaceId: string }, JsonText<typeof Workspace>>(
    'tables.workspaces.get',
    'read',
  ),
  archiveWorkspace: defineMethod<{ workspaceId: string }, null>('tables.workspaces.archive', 'write'),
  listTables: defineMethod<{ workspaceId: string } & Page, JsonText<typeof TablePage>>(
    'tables.tables.list',
    'read',
  ),
  /** Returns tables of one workspace or of all whose name contains `q`, newest first. */
  findTables: defineMethod<
    { workspaceId: string | null; q: string | null } & Page,
    JsonText<typeof TablePage>
  >('tables.tables.find', 'read'),
  /** `body` is the request body as received, already checked to be a single well-formed JSON value. */
  importTable: defineMethod<
    { workspaceId: string; body: string } & Keyed,
    { id: string; json: JsonText<typeof Table> }
  >('tables.tables.import', 'write', 120_000),
  /** `base64` contains the bytes of a CSV file as received: their encoding is detected when they are read. */
  importFile: defineMethod<
    { workspaceId: string; base64: string; name: string; hasHeader?: boolean } & Keyed,
    { id: string; json: JsonText<typeof Table> }
  >('tables.files.import', 'write', 120_000),
  previewFile: defineMethod<
    { workspaceId: string; base64: string; hasHeader?: boolean },
    JsonText<typeof FilePreview>
  >('tables.files.preview', 'read', 120_000),
  getTable: defineMethod<{ tableId: string }, JsonText<typeof Table>>('tables.tables.get', 'read'),
  renameTable: defineMethod<{ tableId: string; name: string }, JsonText<typeof Table>>(
    'tables.tables.rename',
    'write',
  ),
  deleteTable: defineMethod<{ tableId: string }, null>('tables.tables.delete', 'write'),
  renameColumn: defineMethod<{ tableId: string; key: string; name: string }, JsonText<typeof Table>>(
    'tables.columns.rename',
    'write',
  ),
  /** Rewrites every row of the table. */
  deleteColumn: defineMethod<{ tableId: string; key: string }, JsonText<typeof Table>>(
    'tables.columns.delete',
    'write',
    120_000,
  ),
  listRows: defineMethod<{ tableId: string; limit: number; cursor: string | null }, JsonBody<typeof RowPage>>(
    'tables.rows.list',
    'read',
  ),
  readWindow: defineMethod<
    { tableId: string; from: number; count: number; viewId: string | null },
    JsonText<typeof TableWindow>
  >('tables.rows.window', 'read'),
  createView: defineMethod<
    { tableId: string; view: CreateViewRequest },
    { id: string; json: JsonText<typeof TableView> }
  >('tables.views.create', 'write'),
  getRow: defineMethod<{ tableId: string; rowId: string }, JsonText<typeof Row>>('tables.rows.get', 'read'),
  /** Returns value and cell as JSON text; the job allows callers to read its cost and its providers. */
  getCell: defineMethod<
    { tableId: string; rowId: string; key: string },
    { value: string; cell: string; jobId: string | null }
  >('tables.cells.get', 'read'),
  listFrozenRows: defineMethod<
    { runId: string; tableKey: string; limit: number; cursor: string | null },
    JsonBody<typeof RowPage>
  >('tables.frozen-rows.list', 'read'),
  createExport: defineMethod<
    { runId: string; tableKey: string; format: ExportFormat } & Keyed,
    { id: string; json: JsonText<typeof Export> }
  >('tables.exports.create', 'write', 300_000),
  /** Exports the current rows of a live table. */
  createTableExport: defineMethod<
    { tableId: string; body: CreateTableExportRequest } & Keyed,
    { id: string; json: JsonText<typeof Export> }
  >('tables.table-exports.create', 'write', 300_000),
  getExport: defineMethod<{ exportId: string }, ExportHead>('tables.exports.get', 'read'),
  /** Returns bytes `offset` to `offset + length` (at most 1 MiB) of an export in base64. */
  readExport: defineMethod<{ exportId: string; offset: number; length: number }, { base64: string }>(
    'tables.exports.read',
    'read',
  ),
  /** Creates a link that opens an export without a key: the path after `/v1/links/`, and its expiry. */
  createExportLink: defineMethod<{ exportId: string; hours: number }, { token: string; expiresAt: string }>(
    'tables.export-links.create',
    'write',
  ),
  /** Called without an organisation: the result tells whose export it is. */
  openExportLink: defineMethod<{ token: string }, { orgId: string; mode: 'live' | 'test'; exportId: string }>(
    'tables.export-links.open',
    'read',
  ),
  listExclusions: defineMethod<{ kind: ExclusionKind } & Page, JsonText<typeof ExclusionPage>>(
    'tables.exclusions.list',
    'read',
  ),
  addExclusions: defineMethod<ExclusionItems, JsonText<typeof ExclusionsAdded>>(
    'tables.exclusions.add',
    'write',
    60_000,
  ),
  deleteExclusions: defineMethod<ExclusionItems, JsonText<typeof ExclusionsDeleted>>(
    'tables.exclusions.delete',
    'write',
    60_000,
  ),
  syncExclusions: defineMethod<
    { kind: ExclusionKind; source: string; items: ExclusionItem[]; dryRun: boolean },
    JsonText<typeof ExclusionsSynchronised>
  >('tables.exclusions.sync', 'write', 120_000),
} as const;

/** Calls that affect every library; handled by a process that has access to all of them. */
export const ERASURES_RPC = {
  /** Searches all data of an organisation. */
  erasePerson: defineMethod<
    {
      person: {
        email?: string | undefined;
        linkedin_url?: string | undefined;
        name?: string | undefined;
        company?: string | undefined;
      };
    } & Keyed,
    JsonText<typeof ErasureReceipt>
  >('services.persons.erase', 'write', 600_000),
} as const;
