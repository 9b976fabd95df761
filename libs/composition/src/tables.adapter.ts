import { Injectable } from '@nestjs/common';
import { ExclusionPort as FastExclusionPort } from '@quarry/fast-services';
import { Database, newId, type Ctx, type TxCtx } from '@quarry/platform';
import { isReservedName, SANDBOX } from '@quarry/providers';
import { EnrichableRowsPort, ExclusionPort, runExists, TableWriterPort, WorkspacePort } from '@quarry/runs';
import {
  EnrichableRows,
  ExclusionMatcher,
  RunReader,
  TableFreezer,
  TableReader,
  TableWriter,
} from '@quarry/tables';
import { PushRowsPort, type PushRow } from '@quarry/webhooks';

// Enough values to tell the columns of a table apart by what they hold.
const PROFILE_VALUES_MAX = 1000;
/** Rows that a profile looks at; beyond them it cannot claim to know every value. */
const PROFILE_ROWS_MAX = 10_000;

type Args<Name extends keyof TableWriterPort> = Parameters<TableWriterPort[Name]>;
type Answer<Name extends keyof TableWriterPort> = ReturnType<TableWriterPort[Name]>;

/** Gives the runs room its tables. */
@Injectable()
export class TableWriterAdapter extends TableWriterPort {
  constructor(
    private readonly writer: TableWriter,
    private readonly reader: TableReader,
    private readonly freezer: TableFreezer,
  ) {
    super();
  }

  createTable(...[ctx, table]: Args<'createTable'>): Answer<'createTable'> {
    return this.writer.createTable(ctx, table);
  }

  addColumns(...[ctx, tableId, columns]: Args<'addColumns'>): Answer<'addColumns'> {
    return this.writer.addColumns(ctx, tableId, columns);
  }

  async appendRows(...[ctx, tableId, rows]: Args<'appendRows'>): Answer<'appendRows'> {
    await this.writer.appendRows(ctx, tableId, rows);
  }

  updateRows(...[ctx, tableId, updates]: Args<'updateRows'>): Answer<'updateRows'> {
    return this.writer.updateRows(ctx, tableId, updates);
  }

  arrangeRows(...[ctx, tableId, rowIds]: Args<'arrangeRows'>): Answer<'arrangeRows'> {
    return this.writer.arrangeRows(ctx, tableId, rowIds);
  }

  skipPending(...[ctx, tableId, error]: Args<'skipPending'>): Answer<'skipPending'> {
    return this.writer.skipPending(ctx, tableId, error);
  }

  setFit(...[ctx, tableId, fits]: Args<'setFit'>): Answer<'setFit'> {
    return this.writer.setFit(ctx, tableId, fits);
  }

  readRows(...[ctx, tableId]: Args<'readRows'>): Answer<'readRows'> {
    return this.reader.readRows(ctx, tableId);
  }

  listNames(...[ctx, workspaceId]: Args<'listNames'>): Answer<'listNames'> {
    return this.reader.listNames(ctx, workspaceId);
  }

  getTable(...[ctx, tableId]: Args<'getTable'>): Answer<'getTable'> {
    return this.reader.getTable(ctx, tableId);
  }

  async profile(...[ctx, tableId]: Args<'profile'>): Answer<'profile'> {
    const profile = await this.reader.profile(ctx, tableId, PROFILE_VALUES_MAX);
    const { id, name, columns, rowCount, distinctValues } = profile;
    const values = Object.entries(distinctValues).map(([key, values]) => {
      const isComplete = values.length < PROFILE_VALUES_MAX && rowCount <= PROFILE_ROWS_MAX;
      return [key, { values: values.map(({ value }) => String(value)), isComplete }] as const;
    });
    return { id, name, columns, rowCount, values: Object.fromEntries(values) };
  }

  freeze(...[tx, frozen]: Args<'freeze'>): Answer<'freeze'> {
    return this.freezer.freeze(tx, frozen);
  }
}

type RowArgs<Name extends keyof EnrichableRowsPort> = Parameters<EnrichableRowsPort[Name]>;

/** Gives the runs room the rows of its enrichments. */
@Injectable()
export class EnrichableRowsAdapter extends EnrichableRowsPort {
  constructor(
    private readonly rows: EnrichableRows,
    private readonly reader: TableReader,
    private readonly writer: TableWriter,
  ) {
    super();
  }

  getTable(...[ctx, tableId]: RowArgs<'getTable'>): ReturnType<EnrichableRowsPort['getTable']> {
    return this.reader.getTable(ctx, tableId);
  }

  chooseRows(...[ctx, tableId, choice]: RowArgs<'chooseRows'>): Promise<string[]> {
    return this.rows.chooseRows(ctx, tableId, choice);
  }

  async markPending(...[tx, tableId, columns, rowIds]: RowArgs<'markPending'>): Promise<void> {
    await this.writer.addColumns(tx, tableId, columns);
    const keys = columns.map(({ key }) => key);
    await this.rows.markPending(tx, tableId, keys, rowIds);
  }

  readRows(...[ctx, tableId, rowIds]: RowArgs<'readRows'>): ReturnType<EnrichableRowsPort['readRows']> {
    return this.rows.readRows(ctx, tableId, rowIds);
  }

  skipPending(...[tx, tableId, pending]: RowArgs<'skipPending'>): Promise<void> {
    return this.rows.skipPending(tx, tableId, pending);
  }
}

/** Gives the runs room its workspaces. */
@Injectable()
export class WorkspaceAdapter extends WorkspacePort {
  constructor(private readonly writer: TableWriter) {
    super();
  }

  async createWorkspace(tx: TxCtx, name: string): Promise<string> {
    const id = newId('ws');
    await this.writer.ensureWorkspace(tx, { id, name });
    return id;
  }

  workspaceExists(ctx: Ctx | TxCtx, workspaceId: string): Promise<boolean> {
    return this.writer.isWorkspaceOpen(ctx, workspaceId);
  }
}

/** Gives whoever sources companies or people the organisation's exclusion lists. */
@Injectable()
export class ExclusionAdapter implements ExclusionPort, FastExclusionPort {
  constructor(private readonly exclusions: ExclusionMatcher) {}

  async excludedAmong(
    ...[ctx, kind, candidates]: Parameters<ExclusionPort['excludedAmong']>
  ): Promise<Set<number>> {
    const asked = candidates.map(({ domain, linkedin_url: linkedinUrl }) => ({
      domain: domain ?? null,
      linkedinUrl: linkedinUrl ?? null,
    }));
    const excluded = await this.exclusions.areExcluded(ctx, kind, asked);
    return new Set(excluded.flatMap((isExcluded, i) => (isExcluded ? [i] : [])));
  }
}

/** Gives pushes the rows of tables. */
@Injectable()
export class PushRowsAdapter extends PushRowsPort {
  constructor(
    private readonly reader: TableReader,
    private readonly exclusions: ExclusionAdapter,
  ) {
    super();
  }

  async readPage(
    ...[ctx, source, page]: Parameters<PushRowsPort['readPage']>
  ): ReturnType<PushRowsPort['readPage']> {
    const { columns, rowCount, rows } = await this.reader.readPage(ctx, source, page);
    const naming = columns.filter(({ kind }) => ['email', 'domain', 'linkedin_url'].includes(kind));
    return {
      columns,
      rowCount,
      rows: rows.map(({ id, at, values, cells }): PushRow => {
        const isOfSandbox = Object.values(cells).some(({ source }) => source?.provider === SANDBOX);
        return {
          id,
          at,
          values,
          isFictional: isOfSandbox || naming.some(({ key }) => isFictional(values[key])),
        };
      }),
    };
  }

  excludedAmong(...args: Parameters<PushRowsPort['excludedAmong']>): Promise<Set<number>> {
    return this.exclusions.excludedAmong(...args);
  }
}

/** Addresses of the sandbox's people and companies, and names that lead nowhere. */
function isFictional(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    (isReservedName(value) || /linkedin\.com\/(in|company)\/sandbox-/i.test(value))
  );
}

/** Tells the tables room which runs there are. */
@Injectable()
export class RunReaderAdapter extends RunReader {
  constructor(private readonly database: Database) {
    super();
  }

  exists(ctx: Ctx, runId: string): Promise<boolean> {
    return runExists(this.database, ctx, runId);
  }
}
