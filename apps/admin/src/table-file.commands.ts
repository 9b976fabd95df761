import { systemCtx } from '@quarry/app';
import { recordAudit } from '@quarry/postgres';
import { FileImporter, orgOfTable, orgOfWorkspace, TableFileWriter } from '@quarry/tables';
import type { Command } from './commands.js';
import { FileProgress } from './file-progress.js';
import { modeOf } from './mode-option.js';

const ctx = systemCtx('admin');
const FORMATS = ['csv', 'json'] as const;

/** Commands that import tables from files and export them. */
export const TABLE_FILE_COMMANDS: Readonly<Record<string, Command>> = {
  'table:import': {
    description: 'Imports a CSV or XLSX file as a table of a workspace.',
    usage: 'table:import --workspace W --file F.csv [--name N] [--mode live|test]',
    options: { workspace: 'required', file: 'required', name: 'optional', mode: 'optional' },
    run: async (database, options) => {
      const mode = modeOf(options.mode);
      const workspaceId = String(options.workspace);
      const orgId = await orgOfWorkspace(database, ctx, workspaceId);
      const name = options.name === undefined ? {} : { name: String(options.name) };
      const progress = new FileProgress();
      const table = await new FileImporter(database).importFile(
        { ...systemCtx('admin', orgId), mode },
        { workspaceId, path: String(options.file), ...name },
        (step, part) => progress.reportProgress(step, part),
      );
      return { id: table.id, row_count: table.rowCount, columns: table.columns };
    },
  },
  'table:export': {
    description: 'Exports a table to a file.',
    usage: 'table:export --table T --file F.csv [--format csv|json] [--mode live|test]',
    options: { table: 'required', file: 'required', format: 'optional', mode: 'optional' },
    run: async (database, options) => {
      const mode = modeOf(options.mode);
      const [tableId, path] = [String(options.table), String(options.file)];
      const format = FORMATS.find((known) => known === (options.format ?? 'csv'));
      if (!format) throw new Error(`--format must be csv or json, not ${String(options.format)}`);
      const orgId = await orgOfTable(database, ctx, tableId);
      const progress = new FileProgress();
      const written = await new TableFileWriter(database).write(
        { ...systemCtx('admin', orgId), mode },
        { tableId, path, format },
        (part) => progress.reportProgress('writing', part),
      );
      const facts = { rows: written.rowCount, format };
      await recordAudit(
        database,
        { ...systemCtx('admin', orgId), mode },
        { action: 'table.read_by_operator', object: tableId, facts },
      );
      return { id: tableId, file: path, row_count: written.rowCount, byte_length: written.byteLength };
    },
  },
};
