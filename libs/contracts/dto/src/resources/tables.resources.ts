import { z } from 'zod';
import { COLUMN_KINDS, QUALIFICATION_EFFECTS } from '../tables.js';
import { Count, Credits, cursorPage, Id, offsetPage, Path, defineResource, Timestamp } from './resource.js';
import { TrailStep } from './trails.resources.js';

const FitStatus = z.enum(['qualified', 'disqualified', 'unknown']);
const Confidence = z.enum(['low', 'medium', 'high']);

export const Column = defineResource('Column', {
  key: z.string().min(1),
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  qualification: z
    .union([
      z.strictObject({}),
      z.strictObject({ criterion: z.string(), effect: z.enum(QUALIFICATION_EFFECTS) }),
    ])
    .describe('The criterion that rows are judged by; empty when there is none.'),
});

export const FitCounts = defineResource('FitCounts', {
  qualified: Count,
  disqualified: Count,
  unknown: Count,
});

export const Table = defineResource('Table', {
  id: Id('tbl', 'the table'),
  workspace_id: Id('ws', 'its workspace'),
  name: z.string(),
  columns: z.array(Column),
  row_count: Count,
  fit_counts: FitCounts,
  links: z.strictObject({ self: Path, rows: Path }),
});
export const TablePage = offsetPage('TablePage', Table);

const Citation = defineResource('Citation', {
  url: z.string(),
  title: z.string().nullable(),
  excerpt: z.string().nullable(),
  retrieved_at: z.string(),
});

export const Cell = defineResource('Cell', {
  status: z
    .enum(['filled', 'empty', 'pending', 'failed', 'skipped'])
    .describe('Empty: searched, and there is no value. Failed: the value is unknown.'),
  confidence: Confidence.nullable(),
  reasoning: z.string().nullable(),
  citations: z.array(Citation),
  source: z
    .strictObject({
      service: z.string(),
      provider: z.string().nullable().describe('The one that answered; null when none did.'),
      job_id: z.string().nullable(),
    })
    .nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  updated_at: Timestamp,
});

export const Fit = defineResource('Fit', {
  status: FitStatus,
  score: z.number().min(0).max(1).nullable().describe('Share of the judged criteria that the row meets.'),
  reason: z.string().nullable(),
  criteria: z.array(z.strictObject({ column_key: z.string(), verdict: FitStatus, reason: z.string() })),
});

export const Row = defineResource('Row', {
  id: Id('row', 'the row'),
  values: z.record(z.string(), z.unknown()).describe('The values by column key.'),
  cells: z.record(z.string(), Cell).describe('Metadata of the value, for the columns that have it.'),
  fit: Fit,
});
export const RowPage = cursorPage('RowPage', Row);

const Revision = z.int().min(0).describe('Rises with every change of the table.');

export const TableWindow = defineResource('TableWindow', {
  items: z.array(Row),
  from: Count,
  row_count: Count.describe('Rows of the table, or of the view.'),
  revision: Revision,
});

export const TableView = defineResource('TableView', {
  id: Id('view', 'the view'),
  table_id: Id('tbl', 'its table'),
  row_count: Count,
  revision: Revision,
  expires_at: Timestamp,
  links: z.strictObject({ window: Path }),
});

export const FilePreview = defineResource('FilePreview', {
  columns: z.array(Column.omit({ qualification: true })),
  items: z.array(z.record(z.string(), z.unknown())).describe('The values of the first 20 rows.'),
  row_count: Count,
  header: z.boolean().describe('True when the first row of the file was read as the column names.'),
});

export const CellDetails = defineResource('CellDetails', {
  value: z.unknown(),
  cell: Cell.nullable(),
  trail: z.array(TrailStep).nullable().describe('The providers that were asked for the value, in order.'),
  cost: z.strictObject({ amount: Credits, ledger_id: z.string() }).nullable(),
});

export const ColumnDetails = defineResource('ColumnDetails', {
  ...Column.shape,
  source: z
    .strictObject({
      service: z.string(),
      inputs: z.record(z.string(), z.unknown()).optional(),
      field: z.string(),
    })
    .nullable()
    .describe(
      'The service that filled the column last, with what POST /v1/tables/{id}/enrichments takes to look values up again. Null when no service has filled it, or when the run or enrichment is no longer stored.',
    ),
  charged: Credits.describe(
    'What was charged for its lookups so far. Columns that the same lookups fill share them.',
  ),
  charged_since: Timestamp.nullable().describe(
    'The oldest run or enrichment in the sum. Older ones are no longer stored. Null when there is none.',
  ),
});

export const Workspace = defineResource('Workspace', {
  id: Id('ws', 'the workspace'),
  name: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  links: z.strictObject({ self: Path, tables: Path, runs: Path, app: z.url() }),
});
export const WorkspacePage = offsetPage('WorkspacePage', Workspace);

export const Export = defineResource('Export', {
  id: Id('exp', 'the export'),
  byte_length: Count,
  links: z.strictObject({ self: Path }),
});

export const ExportLink = defineResource('ExportLink', {
  url: z.string().describe('Opens the file without a key.'),
  expires_at: Timestamp,
});
