import { Injectable } from '@nestjs/common';
import type { Ctx } from '@quarry/app';
import type { CompanyRecord, DirectorySearchOptions, PersonRecord } from '@quarry/directory';
import type { Entity, RunPlan } from '@quarry/plan';
import {
  compareValues,
  directoryQueries,
  meetsFilters,
  recordValues,
  rowValues,
  type RowValues,
  subjectOfRecord,
  subjectOfRow,
} from '@quarry/plan-compiler';
import { ProviderFailure, Providers, SANDBOX, timedSignal, type Directories } from '@quarry/engine';
import { ExclusionPort, TableReaderPort } from '../ports/table-writer.port.js';
import type { SourcedRow } from '../ports/sourced-row.js';
import { RunFailure } from '../execution/run-failure.error.js';

export interface SourcedPage {
  rows: SourcedRow[];
  /** All matches, without the excluded ones. */
  total: number;
  /** The directory gave an estimate of the total. */
  isEstimated?: true;
  /** They come from the sandbox. */
  isFromSandbox?: true;
  /** Matches left out so far because of the organisation's exclusion lists. */
  excluded: number;
  /** Matches left out so far because they are known already. */
  known: number;
  /** Matches left out so far because they lack a value that the output requires. */
  lacking: number;
}

/** Limits and page sizes for reading the rows of a plan. */
export interface RowChoice {
  readonly limit: number;
  /** Domains of the companies whose people are read; null for those of the plan. */
  readonly companies?: readonly string[] | null;
  /** Maximum number of rows of the first page. */
  readonly firstPageSize: number;
  /** Maximum number of rows of any other page. */
  readonly pageSize: number;
  /** Returns the positions of rows that are known already. They are left out, and others are read instead. */
  readonly findKnown?: ((rows: readonly SourcedRow[]) => Promise<ReadonlySet<number>>) | undefined;
}

// A directory may have many more matches than are needed: one search requests at most this many.
const SEARCH_PAGE_MAX = 500;
/** For each row that is needed or known, a search ends at so many matches without the values that the output requires. */
const MATCHES_PER_ROW = 10;
/** A page of five hundred takes a vendor several calls, and it may allow only ten a minute. */
const SEARCH_MS = 120_000;

/** Finds the rows of a plan, from the directory or from a table of the organisation. */
@Injectable()
export class RowSource {
  constructor(
    private readonly providers: Providers,
    private readonly tables: TableReaderPort,
    private readonly exclusions: ExclusionPort,
  ) {}

  /**
   * Checks that there is a directory to search for the rows of a plan.
   * @throws RunFailure agent_unavailable, with a message that says how to get one
   */
  async requireSource(ctx: Ctx, { source, entity, limit, within }: RunPlan): Promise<void> {
    if (source.kind !== 'directory' || limit === 0 || within) return;
    const { companies, people } = await this.providers.directoriesFor(ctx);
    if (entity === 'company' ? companies : people) return;
    const what = entity === 'company' ? 'companies' : 'people';
    throw new RunFailure(
      'agent_unavailable',
      `There is no directory of ${what} to search, so nothing was searched or charged. Import a directory of ${what} (directory:import), set the key of a vendor that lists ${what}, or name a table of your own in the prompt.`,
    );
  }

  /**
   * Yields pages of rows until `limit` rows are read or no match is left.
   * @param ended aborts a search
   * @throws RunFailure when the directory cannot be searched; the reason of `ended` when it is aborted
   */
  readPages(ctx: Ctx, plan: RunPlan, choice: RowChoice, ended: AbortSignal): AsyncIterable<SourcedPage> {
    if (plan.source.kind === 'table') return this.readTable(ctx, plan, plan.source.table_id, choice);
    if (choice.companies) return this.readPeopleOf(ctx, plan, choice.companies, choice, ended);
    // One person of each company is what the first of two searches would find.
    return plan.companies_max === undefined || plan.per_company === 1
      ? this.readDirectory(ctx, plan, choice, ended)
      : this.readByCompany(ctx, plan, { ...choice, companiesMax: plan.companies_max }, ended);
  }

  /**
   * Finds the companies first, by one person of each, and then the people of these companies. A monitor may know that person, and
   * not others of the company, or may know all people of a company.
   */
  private async *readByCompany(
    ctx: Ctx,
    plan: RunPlan,
    { companiesMax, ...choice }: RowChoice & { readonly companiesMax: number },
    ended: AbortSignal,
  ): AsyncGenerator<SourcedPage> {
    const domains = new Set<string>();
    let counts: SourcedPage | null = null;
    const [first, wanted] = choice.findKnown
      ? [plan, choice]
      : [
          { ...plan, per_company: 1 },
          { ...choice, limit: companiesMax },
        ];
    for await (const page of this.readDirectory(ctx, first, wanted, ended)) {
      counts = page;
      for (const { subject } of page.rows)
        if (subject?.domain && domains.size < companiesMax) domains.add(subject.domain);
      if (domains.size === companiesMax) break;
    }
    if (domains.size > 0) yield* this.readPeopleOf(ctx, plan, [...domains], choice, ended);
    else if (counts) yield { ...counts, rows: [] };
  }

  private async *readPeopleOf(
    ctx: Ctx,
    plan: RunPlan,
    domains: readonly string[],
    choice: RowChoice,
    ended: AbortSignal,
  ): AsyncGenerator<SourcedPage> {
    // A search without domains would be one of all companies.
    if (domains.length === 0) return;
    const companies = { ...plan.companies, domains };
    yield* this.readDirectory(ctx, { ...plan, companies }, choice, ended);
  }

  private async *readDirectory(
    ctx: Ctx,
    plan: RunPlan,
    choice: RowChoice,
    ended: AbortSignal,
  ): AsyncGenerator<SourcedPage> {
    const { limit, findKnown } = choice;
    const directories = await this.providers.directoriesFor(ctx);
    let given = 0;
    let excluded = 0;
    let known = 0;
    let lacking = 0;
    let offset = 0;
    let from: string | undefined;
    // A directory may pay for each record, so the first page requests exactly the needed number. Each further page doubles it.
    for (let size = limit; given < limit; size *= 2) {
      const signal = timedSignal(SEARCH_MS, ended);
      const page = {
        limit: Math.min(size, SEARCH_PAGE_MAX),
        offset,
        signal,
        ...(from === undefined ? {} : { from }),
      };
      const answer = await searchDirectory(directories, plan, page).catch((error: unknown) => {
        ended.throwIfAborted();
        throw asRunFailure(error, signal);
      });
      if (!answer) return;
      from = answer.provider;
      offset += answer.items.length;
      const values = answer.items.map(recordValues);
      const excludedAt = await this.findExcluded(ctx, plan.entity, values);
      const allowed = answer.items
        .map((record, i) => rowOfRecord(plan, record, values[i]!))
        .filter((_, i) => !excludedAt.has(i));
      const found = allowed.filter((row) => hasRequired(plan, row));
      const knownAmong = (await findKnown?.(found)) ?? new Set();
      const kept = found.filter((_, i) => !knownAmong.has(i)).slice(0, limit - given);
      excluded += excludedAt.size;
      known += knownAmong.size;
      lacking += allowed.length - found.length;
      const counts = {
        total: answer.total - excluded - known - lacking,
        excluded,
        known,
        lacking,
        ...(answer.isTotalEstimated ? { isEstimated: true as const } : {}),
        ...(answer.provider === SANDBOX ? { isFromSandbox: true as const } : {}),
      };
      // A page without rows matters too: it tells the provider and the number of exclusions.
      for (const rows of pagesOf(kept, choice, given)) {
        given += rows.length;
        yield { rows, ...counts };
      }
      if (answer.items.length === 0 || offset >= answer.total) return;
      if (lacking >= (limit + known) * MATCHES_PER_ROW) return;
    }
  }

  /**
   * Returns the positions of the rows that the organisation excludes. A person is excluded by the people list, or by the company
   * list through the employer.
   * @param rows values by attribute, among them domains and LinkedIn addresses
   */
  async findExcluded(
    ctx: Ctx,
    entity: Entity,
    rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  ): Promise<Set<number>> {
    const prefix = entity === 'person' ? 'company_' : '';
    const companies = rows.map((row) => ({
      domain: textOrNull(row[`${prefix}domain`]),
      linkedin_url: textOrNull(row[`${prefix}linkedin_url`]),
    }));
    if (entity === 'company') return this.exclusions.excludedAmong(ctx, 'companies', companies);
    const people = rows.map((row, i) => ({
      domain: companies[i]!.domain,
      linkedin_url: textOrNull(row.linkedin_url),
    }));
    const excluded = await Promise.all([
      this.exclusions.excludedAmong(ctx, 'companies', companies),
      this.exclusions.excludedAmong(ctx, 'people', people),
    ]);
    return new Set(excluded.flatMap((places) => [...places]));
  }

  private async *readTable(
    ctx: Ctx,
    plan: RunPlan,
    tableId: string,
    choice: RowChoice,
  ): AsyncGenerator<SourcedPage> {
    const { limit, findKnown } = choice;
    const matches: Array<{ id: string; values: Record<string, unknown> }> = [];
    for await (const batch of this.tables.readRows(ctx, tableId)) {
      matches.push(...batch.filter((row) => meetsFilters(row.values, plan.predicates)));
    }
    const sort = plan.table_sort;
    if (sort)
      matches.sort((a, b) =>
        compareValues(a.values[sort.column_key], b.values[sort.column_key], sort.direction),
      );
    const { columns } = await this.tables.getTable(ctx, tableId);
    const matching = matches.map((row) => ({
      key: row.id,
      values: Object.fromEntries(
        plan.columns.map(({ key, source }) => [
          key,
          source.from === 'table' ? (row.values[source.column_key] ?? null) : null,
        ]),
      ),
      attributes: row.values,
      subject: subjectOfRow(columns, row.values),
    }));
    const found = matching.filter((row) => hasRequired(plan, row));
    const knownAmong = (await findKnown?.(found)) ?? new Set();
    const kept = found.filter((_, i) => !knownAmong.has(i)).slice(0, limit);
    const total = found.length - knownAmong.size;
    const counts = { total, excluded: 0, known: knownAmong.size, lacking: matching.length - found.length };
    for (const rows of pagesOf(kept, choice)) yield { rows, ...counts };
  }
}

/** Returns whether a row has the values that its plan requires, as far as they come with the row. */
function hasRequired({ columns }: RunPlan, { values }: SourcedRow): boolean {
  return columns.every(({ key, required, source }) => {
    const comesWithRow = source.from === 'directory' || source.from === 'table';
    return !required || !comesWithRow || ![null, undefined, ''].includes(values[key] as null);
  });
}

/**
 * Splits rows into pages; no rows make one empty page.
 * @param given number of rows in earlier pages
 */
function* pagesOf(
  rows: readonly SourcedRow[],
  { firstPageSize, pageSize }: RowChoice,
  given = 0,
): Generator<SourcedRow[]> {
  let at = 0;
  do {
    const size = given + at === 0 ? firstPageSize : pageSize;
    yield rows.slice(at, at + size);
    at += size;
  } while (at < rows.length);
}

/** @returns null when there is no directory for the entity of the plan */
async function searchDirectory(
  { companies, people }: Directories,
  plan: RunPlan,
  page: Pick<DirectorySearchOptions<never>, 'limit' | 'offset' | 'from' | 'signal'>,
) {
  const options = { ...page, ...(plan.sort ? { sort: plan.sort } : {}) };
  const wanted = directoryQueries(plan);
  return wanted.entity === 'company'
    ? (companies?.searchCompanies(wanted.query, options) ?? null)
    : (people?.searchPeople(wanted.query, options) ?? null);
}

/** Converts the failure of a directory into a message for the customer that names no vendor. */
function asRunFailure(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ProviderFailure && error.code === 'provider_unavailable')
    return new RunFailure('agent_unavailable', error.message);
  if (!signal.aborted && !(error instanceof ProviderFailure)) return error;
  const reason = signal.aborted ? 'It did not answer in time.' : (error as ProviderFailure).message;
  return new RunFailure('agent_execution_failed', `The directory could not be searched. ${reason}`);
}

function rowOfRecord(plan: RunPlan, record: CompanyRecord | PersonRecord, attributes: RowValues): SourcedRow {
  return {
    key: record.id,
    values: { ...rowValues(plan.columns, attributes) },
    attributes,
    subject: subjectOfRecord(record),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
