import { openAsBlob } from 'node:fs';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Api } from '@quarry/sdk';
import { UsageError } from '../exit-codes.js';
import { checkReadable, openPart } from '../files.js';
import { formatOf } from '../output.js';
import { formatCount } from '../screen.js';
import type { Session } from '../session.js';
import { writeTable } from './run.js';
import type { QuarryCommand } from '../quarry-command.js';

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Adds the commands for tables and files. */
export function addTableCommands(program: QuarryCommand): void {
  const tables = program
    .command('tables')
    .description('Tables and their rows; import from and export to files.');
  tables
    .command('list')
    .description('Lists the tables of all workspaces or of one.')
    .option('--workspace <id>', 'only tables of this workspace, ws_…')
    .withSession(async (session, { workspace }: { workspace?: string }) => {
      await session.writeRows(
        session.quarry.tables.list(workspace === undefined ? {} : { workspace_id: workspace }),
        ['id', 'name', 'row_count', 'workspace_id'],
      );
    });
  tables
    .command('get')
    .description('Shows a table with its columns.')
    .argument('<id>', 'tbl_…')
    .withSession(async (session, id: string) => {
      await session.writeDocument(await session.quarry.tables.get(id));
    });
  tables
    .command('rows')
    .description('Prints the rows of a table.')
    .argument('<id>', 'tbl_…')
    .withSession((session, id: string) => writeTable(session, id));
  tables
    .command('rename')
    .description('Renames a table.')
    .argument('<id>', 'tbl_…')
    .argument('<name>', 'new name')
    .withSession(async (session, id: string, name: string) => {
      await session.writeDocument(await session.quarry.tables.update(id, { name }));
    });
  tables
    .command('delete')
    .description('Deletes a table with its rows. The frozen tables of its runs stay.')
    .argument('<id>', 'tbl_…')
    .withSession(async (session, id: string) => {
      await session.quarry.tables.delete(id);
    });
  tables
    .command('import')
    .description('Imports a CSV or XLSX file as a table.')
    .argument('<file>', '.csv or .xlsx file with a header')
    .option('--workspace <id>', 'workspace (default: the newest)')
    .option('--name <name>', 'name of the table (default: that of the file)')
    .option('--dry-run', 'show the columns and the first rows without importing')
    .withSession(
      async (session, path: string, options: { workspace?: string; name?: string; dryRun?: boolean }) => {
        const type = FILE_TYPES[extname(path).toLowerCase()];
        if (!type) throw new UsageError(`The file must be .csv or .xlsx, not ${path}.`);
        checkReadable(path);
        const file = await openAsBlob(path, { type });
        const workspaceId = options.workspace ?? (await newestWorkspace(session));
        const { workspaces } = session.quarry;
        if (options.dryRun) {
          const { columns, items, row_count: count } = await workspaces.previewFile(workspaceId, file);
          session.say(
            `${formatCount(count, 'row')}; ${columns.map(({ name, kind }) => `${name}: ${kind}`).join(', ')}`,
          );
          return session.writeRows(items as Array<Record<string, unknown>>);
        }
        const name = options.name ?? basename(path, extname(path));
        await session.writeDocument(await workspaces.importFile(workspaceId, file, { name }));
      },
    );
  tables
    .command('export')
    .description(
      'Downloads a table as it is now, as CSV, or as JSON with --json or an --output that ends with .json.',
    )
    .argument('<id>', 'tbl_…')
    .option('--columns <keys>', 'keys of the columns to export, in order, comma-separated')
    .option('--link', 'print a link that opens the file without an API key for 24 hours')
    .withSession(async (session, id: string, { columns, link }: { columns?: string; link?: true }) => {
      const { excel } = session.options;
      const wanted = formatOf(session.options);
      if (wanted === 'jsonl') throw new UsageError('An export is CSV or JSON; --jsonl is not possible.');
      const format = wanted === 'json' ? 'json' : 'csv';
      const body: Api.CreateTableExportRequest = {
        format,
        ...(columns === undefined ? {} : { columns: columns.split(',').map((key) => ({ key: key.trim() })) }),
        ...(excel ? { bom: true } : {}),
      };
      const made = await session.quarry.tables.createExport(id, body);
      if (link) return session.writeDocument({ ...(await session.quarry.exports.createLink(made.id)) });
      await download(session, made.id);
    });

  program
    .command('exports')
    .description('Exported files.')
    .command('get')
    .description('Downloads an exported file.')
    .argument('<id>', 'exp_…')
    .withSession((session, id: string) => download(session, id));
}

/** Writes an exported file to standard output, or to the path of --output. */
async function download(session: Session, exportId: string): Promise<void> {
  const { output: path } = session.options;
  let byteLength = 0;
  const pieces = async function* () {
    for await (const piece of session.quarry.exports.download(exportId)) {
      byteLength += piece.length;
      yield piece;
    }
  };
  if (path === undefined) await pipeline(Readable.from(pieces()), process.stdout, { end: false });
  else {
    const file = openPart(path);
    await pipeline(Readable.from(pieces()), file.stream);
    await file.finish();
  }
  session.say(`${formatCount(byteLength, 'byte')}${path === undefined ? '' : `: ${path}`}`);
}

async function newestWorkspace(session: Session): Promise<string> {
  let newest: string | undefined;
  // The list begins with the oldest.
  for await (const { id } of session.quarry.workspaces.list({ limit: 1000 })) newest = id;
  return newest ?? (await session.quarry.workspaces.create({ name: 'Imports' })).id;
}
