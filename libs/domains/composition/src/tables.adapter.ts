import { Injectable } from '@nestjs/common';
import { isColumnInUse } from '@quarry/enrichments';
import type { ColumnJson } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { reportedRows } from '@quarry/monitors';
import { Database, type TxCtx } from '@quarry/postgres';
import {
  ContactColumnsPort,
  ContactExclusionsPort,
  EnrollmentRowsPort,
  findingJobOf,
  isVerifiedAddress,
  suppressedAmong,
  type EnrollmentTable,
} from '@quarry/outreach';
import { isFromSandbox } from '@quarry/engine';
import { runExists } from '@quarry/runs';
import { verifiedEmails } from '@quarry/service-jobs';
import { ExclusionMatcher, RunReader, TableReader, TableWriter, type StoredRow } from '@quarry/tables';
import { cluesOf, PushRowsPort, type PushRow } from '@quarry/webhooks';

/** Checks contacts against the current exclusion lists. */
@Injectable()
export class ContactExclusionsAdapter extends ContactExclusionsPort {
  constructor(private readonly exclusions: ExclusionMatcher) {
    super();
  }

  /** Checks a contact. A company's exclusion also applies to its people. */
  async isExcluded(
    ...[ctx, email, variables]: Parameters<ContactExclusionsPort['isExcluded']>
  ): Promise<boolean> {
    const profiles = Object.values(variables).filter(
      (value): value is string => typeof value === 'string' && /linkedin\.com\//i.test(value),
    );
    const entries = [
      { domain: email.slice(email.lastIndexOf('@') + 1) },
      ...profiles.map((url) => ({ linkedin_url: url })),
    ];
    const companies = await this.exclusions.excludedAmong(ctx, 'companies', entries);
    return companies.size > 0 || (await this.exclusions.excludedAmong(ctx, 'people', entries)).size > 0;
  }
}

/** Provides table rows to pushes. */
@Injectable()
export class PushRowsAdapter extends PushRowsPort {
  constructor(
    private readonly reader: TableReader,
    private readonly exclusions: ExclusionMatcher,
    private readonly database: Database,
  ) {
    super();
  }

  async readPage(
    ...[ctx, source, page]: Parameters<PushRowsPort['readPage']>
  ): ReturnType<PushRowsPort['readPage']> {
    const { columns, rowCount, rows } = await this.reader.readPage(ctx, source, page);
    return {
      columns,
      rowCount,
      rows: rows.map((row): PushRow => ({
        id: row.id,
        at: row.at,
        values: row.values,
        isFromSandbox: isFromSandbox(columns, row),
      })),
    };
  }

  excludedAmong(...args: Parameters<PushRowsPort['excludedAmong']>): Promise<Set<number>> {
    return this.exclusions.excludedAmong(...args);
  }

  suppressedAmong(ctx: Ctx, addresses: readonly string[]): Promise<Set<string>> {
    return suppressedAmong(this.database, ctx, addresses);
  }
}

/** Lets outreach write the status of people into their tables. */
@Injectable()
export class ContactColumnsAdapter extends ContactColumnsPort {
  constructor(private readonly writer: TableWriter) {
    super();
  }

  async showValues(
    ...[ctx, tableId, columns, rows]: Parameters<ContactColumnsPort['showValues']>
  ): Promise<void> {
    await this.writer.addColumns(ctx, tableId, columns);
    await this.writer.updateRows(ctx, tableId, rows);
  }
}

/** A loaded table with some of its rows. */
interface ReadTable {
  tableId: string;
  columns: ColumnJson[];
  rows: StoredRow[];
}

/** Provides rows of tables and monitors to sequences, with the knowledge of exclusion lists and services about them. */
@Injectable()
export class EnrollmentRowsAdapter extends EnrollmentRowsPort {
  constructor(
    private readonly reader: TableReader,
    private readonly exclusions: ExclusionMatcher,
    private readonly database: Database,
  ) {
    super();
  }

  async readPage(
    ...[ctx, { tableId, emailColumn }, page]: Parameters<EnrollmentRowsPort['readPage']>
  ): ReturnType<EnrollmentRowsPort['readPage']> {
    const { columns, rowCount, rows } = await ('rowIds' in page
      ? this.reader.readChosen(ctx, tableId, page.rowIds)
      : this.reader.readPage(ctx, { tableId, viewId: null }, page));
    const [table] = await this.enrollmentTablesOf(ctx, [{ tableId, columns, rows }], emailColumn);
    return { columns, rowCount, rows: table!.rows };
  }

  async readReported(
    ...[ctx, { monitorId, emailColumn }, page]: Parameters<EnrollmentRowsPort['readReported']>
  ): ReturnType<EnrollmentRowsPort['readReported']> {
    const reported = await reportedRows(this.database, ctx, monitorId, page);
    const tables: ReadTable[] = [];
    // Each run has a table of its own, and a monitor never has two runs at once: rows of one table are consecutive, except
    // those that were reported again.
    for (const [tableId, rows] of Map.groupBy(reported, (row) => row.tableId)) {
      const rowIds = rows.map(({ rowId }) => rowId);
      const found = await this.reader.readChosen(ctx, tableId, rowIds).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'table_not_found') return null;
        throw error;
      });
      if (found) tables.push({ tableId, columns: found.columns, rows: found.rows });
    }
    const left = tables.reduce((sum, { rows }) => sum + rows.length, 0);
    return {
      tables: await this.enrollmentTablesOf(ctx, tables, emailColumn),
      missing: reported.length - left,
      next: reported.length < page.limit ? null : reported.at(-1)!.place,
    };
  }

  private async enrollmentTablesOf(
    ctx: Ctx | TxCtx,
    tables: readonly ReadTable[],
    emailColumn: string,
  ): Promise<EnrollmentTable[]> {
    const excluded = await this.excludedAmong(ctx, tables);
    const jobs = tables.flatMap(({ rows }) => rows.flatMap((row) => findingJobOf(row, emailColumn) ?? []));
    const found = await verifiedEmails(this.database, ctx, jobs);
    return tables.map(({ tableId, columns, rows }) => ({
      tableId,
      columns,
      rows: rows.map((row) => ({
        id: row.id,
        values: row.values,
        isVerified: isVerifiedAddress(row, { columns, emailColumn, found }),
        isExcluded: excluded.has(row.id),
        isFromSandbox: isFromSandbox(columns, row),
      })),
    }));
  }

  /** A company's exclusion also applies to its people. @returns ids of rows whose domain or profile is on a list */
  private async excludedAmong(ctx: Ctx | TxCtx, tables: readonly ReadTable[]): Promise<Set<string>> {
    const entries = tables.flatMap(({ columns, rows }) =>
      rows.flatMap((row) => {
        const { domains, profiles } = cluesOf(columns, row);
        return [
          ...domains.map((domain) => ({ rowId: row.id, domain })),
          ...profiles.map((profile) => ({ rowId: row.id, linkedin_url: profile })),
        ];
      }),
    );
    const companies = await this.exclusions.excludedAmong(ctx, 'companies', entries);
    const people = await this.exclusions.excludedAmong(ctx, 'people', entries);
    return new Set([...companies, ...people].map((i) => entries[i]!.rowId));
  }
}

/** Provides the existing runs to the tables library. */
@Injectable()
export class RunReaderAdapter extends RunReader {
  constructor(private readonly database: Database) {
    super();
  }

  hasRun(ctx: Ctx, runId: string): Promise<boolean> {
    return runExists(this.database, ctx, runId);
  }

  isColumnInUse(ctx: Ctx | TxCtx, tableId: string, key: string): Promise<boolean> {
    return isColumnInUse(this.database, ctx, tableId, key);
  }
}
