import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { allowLongWork, buildIndexes } from './build-indexes.js';
import { tableOf } from './directory-table.js';
import { dropTable } from './drop-table.js';
import type { DirectoryKind } from './target-fields.catalogue.js';

/** Imported directory. */
export interface DirectoryHead {
  readonly kind: DirectoryKind;
  readonly name: string;
  /** Number at the end of its table's name; a new one for each import. */
  readonly number: number;
}

/** Directory as shown to the operator. */
export interface DirectorySummary extends DirectoryHead {
  readonly rowCount: number;
  readonly rejectedCount: number;
  readonly file: string;
  /** Bytes of its table and indexes. */
  readonly bytes: number;
  readonly importedAt: Date;
}

/** Reads the list of directories. They belong to the operator, not to an organisation. */
export class DirectoryStore {
  private readonly ctx = systemCtx('directories');

  constructor(private readonly database: Database) {}

  /** @returns all directories, ordered by name */
  async listDirectories(): Promise<DirectoryHead[]> {
    return this.database.query(this.ctx, LIST, [], 'read');
  }

  /** @returns all directories with the details for the operator, ordered by kind and name */
  async listSummaries(): Promise<DirectorySummary[]> {
    const rows = await this.database.query(this.ctx, SUMMARIES);
    return rows.map(({ row_count, rejected_count, bytes, imported_at, ...head }) => ({
      ...head,
      rowCount: row_count,
      rejectedCount: rejected_count,
      bytes: Number(bytes),
      importedAt: imported_at,
    }));
  }

  /** @returns whether any directory was ever imported, including dropped ones */
  async hasHadAny(): Promise<boolean> {
    return (await this.database.query(this.ctx, FIRST_IMPORT, [], 'read')).length > 0;
  }

  /** Builds the indexes of directories that have none: those of a restored backup. */
  async buildMissingIndexes(): Promise<void> {
    for (const { kind, number } of await this.listDirectories())
      await this.database.withOwnConnection(this.ctx, async (client) => {
        const { rows } = await client.query('SELECT 1 FROM pg_index WHERE indrelid = $1::regclass', [
          tableOf(kind, number),
        ]);
        if (rows.length > 0) return;
        await allowLongWork(client);
        await buildIndexes(client, kind, number);
      });
  }

  /** Drops a directory with its rows. @returns whether there was one */
  async dropDirectory(kind: DirectoryKind, name: string): Promise<boolean> {
    return this.database.withOwnConnection(this.ctx, async (client) => {
      const { rows } = await client.query<{ number: number }>(
        'DELETE FROM directory.directories WHERE kind = $1 AND name = $2 RETURNING number',
        [kind, name],
      );
      const number = rows[0]?.number;
      if (number === undefined) return false;
      await dropTable(client, kind, number);
      return true;
    });
  }
}

const LIST = statement('directory.list', 'SELECT kind, name, number FROM directory.directories ORDER BY name')
  .rows<{ kind: DirectoryKind }>()
  .prepared();

const FIRST_IMPORT = statement(
  'directory.firstImport',
  'SELECT imported_at FROM directory.first_import',
).prepared();

const SUMMARIES = statement(
  'directory.summaries',
  `SELECT kind, name, number, row_count, rejected_count, file, imported_at,
     pg_total_relation_size(to_regclass('directory.' || kind || '_' || number)) AS bytes
   FROM directory.directories ORDER BY kind, name`,
).rows<{ kind: DirectoryKind; bytes: string }>();
