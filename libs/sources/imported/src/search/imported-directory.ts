import {
  COMPANY_KEYS,
  type CompanyDirectory,
  type CompanyKey,
  type CompanyQuery,
  type CompanyRecord,
  type DirectoryAnswer,
  type DirectorySearchOptions,
  type PeopleDirectory,
  type PeopleQuery,
  PERSON_KEYS,
  type PersonKey,
  type PersonRecord,
} from '@quarry/directory';
import { foldText } from '@quarry/vocabulary';
import { linkedInSlug } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { tableOf } from '../tables/directory-table.js';
import { branchesOf } from './query-branches.js';
import { companyConditions, Parameters, personConditions } from './query-conditions.js';
import { companyOrder, personOrder } from './query-order.js';
import { hostOf, companyRecord, personRecord } from '@quarry/extraction';

/** Number up to which matches are counted; above it, PostgreSQL's estimate is used. */
const COUNTED_MAX = 10_000;
/** Number of rows read at a time when a caller excludes some. */
const EXCLUDING_PAGE = 1000;

/** Column lists of statements. */
const COMPANY_SELECT = COMPANY_KEYS.join(', ');
const PERSON_SELECT = [...PERSON_KEYS, ...COMPANY_KEYS.map((column) => `company_${column}`)].join(', ');

type Row = Readonly<Record<string, unknown>>;

/** Parts of a query on a table. */
interface Ask {
  select: string;
  /** One condition per part of the search; the parts are disjoint. */
  conditions: readonly string[];
  order: string;
  parameters: Parameters;
  /** Maximum number of people per company. */
  perCompany?: number | undefined;
}

type Total = Pick<DirectoryAnswer<unknown>, 'total' | 'isTotalEstimated'>;

/** Database and limits for reads of an imported directory. */
export interface DirectoryReader {
  readonly database: Database;
  /** Context of the search: list queries are scheduled fairly between organisations. */
  readonly ctx: Ctx;
  /** {@link COUNTED_MAX} when omitted. */
  readonly countedMax?: number;
}

abstract class ImportedTable {
  readonly provider: string;

  constructor(
    protected readonly reader: DirectoryReader,
    name: string,
    protected readonly table: string,
  ) {
    this.provider = `directory:${name}`;
  }

  protected abstract run(text: string, values: readonly unknown[]): Promise<Row[]>;

  /** Reads one page and the total: exact up to the counting limit, and never less than what the page proves. */
  protected async readPage(ask: Ask, limit: number, offset: number): Promise<Total & { rows: Row[] }> {
    const found = await this.readRows(ask, limit + 1, offset);
    const rows = found.slice(0, limit);
    if (found.length <= limit && (found.length > 0 || offset === 0))
      return { rows, total: offset + rows.length };
    const least = found.length > limit ? offset + limit + 1 : 0;
    const { total, ...how } = await this.readTotal(ask);
    return { rows, total: Math.max(least, total), ...how };
  }

  protected async readRows(
    { select, parameters, ...ask }: Ask,
    limit: number,
    offset: number,
  ): Promise<Row[]> {
    const own = copyOf(parameters);
    const [most, skipped] = [own.add(limit, 'integer'), own.add(offset, 'integer')];
    const needed = (): string => ` ORDER BY ${ask.order} LIMIT ${own.add(limit + offset, 'integer')}`;
    const from = this.fromSql(ask, own, needed);
    const text = `SELECT ${select} FROM ${from} ORDER BY ${ask.order} LIMIT ${most} OFFSET ${skipped}`;
    return this.run(text, own.values);
  }

  private async readTotal({ parameters, ...ask }: Ask): Promise<Total> {
    const { database, ctx, countedMax = COUNTED_MAX } = this.reader;
    const own = copyOf(parameters);
    const from = this.fromSql(ask, own);
    const bounded = `SELECT 1 FROM ${from} LIMIT ${own.add(countedMax + 1, 'integer')}`;
    const text = `SELECT count(*)::integer AS total FROM (${bounded}) found`;
    const [row] = await database.query(ctx, COUNT.composed(text), own.values, 'list');
    if (row!.total <= countedMax) return { total: row!.total };
    const estimated = await this.estimateRows({ parameters, ...ask });
    return { total: Math.max(countedMax + 1, estimated), isTotalEstimated: true };
  }

  /**
   * @returns PostgreSQL's estimate of the number of rows; its statistics are up to date, since nothing is written after the
   *   import
   */
  private async estimateRows({ parameters, ...ask }: Omit<Ask, 'select'>): Promise<number> {
    const { database, ctx } = this.reader;
    const own = copyOf(parameters);
    const text = `EXPLAIN (FORMAT JSON) SELECT 1 FROM ${this.fromSql(ask, own)}`;
    const [row] = await database.query(ctx, EXPLAINED.composed(text), own.values, 'list');
    const [{ Plan: plan }] = row!['QUERY PLAN'] as [{ Plan: { 'Plan Rows': number } }];
    return plan['Plan Rows'];
  }

  /**
   * @param ofPart returns the ORDER BY and LIMIT of each of several parts, so that PostgreSQL reads each part in order and
   *   only as far as the merged page needs
   * @returns the FROM item with its conditions
   */
  private fromSql(
    { conditions, perCompany }: Omit<Ask, 'select' | 'parameters'>,
    parameters: Parameters,
    ofPart = (): string => '',
  ): string {
    const parts = conditions.map((condition) => `${this.table} WHERE ${condition}`);
    const end = parts.length === 1 ? '' : ofPart();
    const matches =
      parts.length === 1
        ? parts[0]!
        : `(${parts.map((part) => `(SELECT * FROM ${part}${end})`).join(' UNION ALL ')}) matches`;
    if (perCompany === undefined) return matches;
    const ranked = `SELECT *, row_number() OVER (PARTITION BY company_id ORDER BY seniority_rank, position) AS place_in_company
      FROM ${matches}`;
    return `(${ranked}) ranked WHERE place_in_company <= ${parameters.add(perCompany, 'integer')}`;
  }
}

/** Companies of an imported directory. A search is a list query, with the limits and the scheduling of lists. */
export class ImportedCompanies extends ImportedTable implements CompanyDirectory {
  constructor(reader: DirectoryReader, name: string, number: number) {
    super(reader, name, tableOf('companies', number));
  }

  async searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>> {
    const parameters = new Parameters();
    const conditions = branchesOf(query).map((each) => companyConditions(each, parameters));
    const ask = { select: COMPANY_SELECT, conditions, order: companyOrder(options.sort), parameters };
    const { limit, offset = 0, exclude } = options;
    if (exclude)
      return {
        provider: this.provider,
        ...(await readAllExcept(exclude, options, (...page) => this.records(ask, ...page))),
      };
    const { rows, ...total } = await this.readPage(ask, limit, offset);
    return { provider: this.provider, items: rows.map((row) => companyRecord(row)), ...total };
  }

  async findCompany(key: CompanyKey): Promise<CompanyRecord | null> {
    const parameters = new Parameters();
    const condition = companyIs(key, parameters);
    if (condition === null) return null;
    const ask = { select: COMPANY_SELECT, conditions: [condition], order: 'position', parameters };
    return (await this.records(ask, 1, 0))[0] ?? null;
  }

  protected async run(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.reader.database.query(this.reader.ctx, COMPANIES.composed(text), values, 'list');
  }

  private async records(ask: Ask, limit: number, offset: number): Promise<CompanyRecord[]> {
    return (await this.readRows(ask, limit, offset)).map((row) => companyRecord(row));
  }
}

/** People of an imported directory, each with the company data of their row. */
export class ImportedPeople extends ImportedTable implements PeopleDirectory {
  constructor(reader: DirectoryReader, name: string, number: number) {
    super(reader, name, tableOf('people', number));
  }

  async searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>> {
    const parameters = new Parameters();
    const conditions = [personConditions(query, parameters)];
    const order = personOrder(options.sort);
    const { per_company: perCompany } = query;
    const { limit, offset = 0, exclude } = options;
    const ask: Ask = { select: PERSON_SELECT, conditions, order, parameters, perCompany };
    if (exclude) {
      // People whom the caller excludes must not count towards the maximum per company, so it is applied after the
      // exclusion.
      const page = await readAllExcept(exclude, { limit, offset, perCompany }, (...part) =>
        this.records({ ...ask, perCompany: undefined }, ...part),
      );
      return { provider: this.provider, ...page };
    }
    const { rows, ...total } = await this.readPage(ask, limit, offset);
    return { provider: this.provider, items: rows.map(personRecord), ...total };
  }

  async findPerson(key: PersonKey): Promise<PersonRecord | null> {
    const parameters = new Parameters();
    const conditions = personIs(key, parameters);
    if (conditions === null) return null;
    const ask = { select: PERSON_SELECT, conditions: [conditions], order: 'position', parameters };
    return (await this.records(ask, 1, 0))[0] ?? null;
  }

  protected async run(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.reader.database.query(this.reader.ctx, PEOPLE.composed(text), values, 'list');
  }

  private async records(ask: Ask, limit: number, offset: number): Promise<PersonRecord[]> {
    return (await this.readRows(ask, limit, offset)).map(personRecord);
  }
}

/** @returns the condition for a company: by domain, else LinkedIn URL, else name. null when the key is empty */
function companyIs({ domain, linkedin_url, name }: CompanyKey, parameters: Parameters): string | null {
  if (domain !== undefined) return `domain = ${parameters.add(hostOf(domain), 'text')}`;
  if (linkedin_url !== undefined)
    return `linkedin_slug = ${parameters.add(linkedInSlug('companies', linkedin_url), 'text')}`;
  return name === undefined ? null : `name_folded = ${parameters.add(foldText(name), 'text')}`;
}

function personIs(key: PersonKey, parameters: Parameters): string | null {
  const { linkedin_url, first_name, last_name, domain, company } = key;
  if (linkedin_url !== undefined)
    return `linkedin_slug = ${parameters.add(linkedInSlug('people', linkedin_url), 'text')}`;
  if (first_name === undefined || last_name === undefined) return null;
  const named = `full_name_folded = ${parameters.add(foldText(`${first_name} ${last_name}`), 'text')}`;
  if (domain !== undefined) return `${named} AND company_domain = ${parameters.add(hostOf(domain), 'text')}`;
  if (company === undefined) return null;
  return `${named} AND company_name_folded = ${parameters.add(foldText(company), 'text')}`;
}

/**
 * Reads all matches, page by page, and drops the excluded ones; otherwise `total` would be wrong. Holds the requested page
 * and one more in memory.
 */
async function readAllExcept<T extends { id: string }>(
  exclude: (item: T) => boolean,
  { limit, offset = 0, perCompany }: { limit: number; offset?: number; perCompany?: number | undefined },
  read: (limit: number, offset: number) => Promise<T[]>,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  const ofCompany = new Map<string, number>();
  const isWithinCap = (item: T): boolean => {
    if (perCompany === undefined) return true;
    const { id } = (item as unknown as PersonRecord).company;
    ofCompany.set(id, (ofCompany.get(id) ?? 0) + 1);
    return ofCompany.get(id)! <= perCompany;
  };
  let total = 0;
  for (let skipped = 0; ; skipped += EXCLUDING_PAGE) {
    const found = await read(EXCLUDING_PAGE, skipped);
    for (const item of found) {
      if (exclude(item) || !isWithinCap(item)) continue;
      if (total >= offset && items.length < limit) items.push(item);
      total += 1;
    }
    if (found.length < EXCLUDING_PAGE) return { items, total };
  }
}

function copyOf(parameters: Parameters): Parameters {
  const copy = new Parameters();
  copy.values.push(...parameters.values);
  return copy;
}

/**
 * Statements on the parent table, which has the columns of all directories; each search is composed for the table of one
 * directory.
 */
const COMPANIES = statement(
  'imported-directory.companies',
  `SELECT ${COMPANY_SELECT} FROM directory.companies`,
);
const PEOPLE = statement('imported-directory.people', `SELECT ${PERSON_SELECT} FROM directory.people`);
const COUNT = statement(
  'imported-directory.count',
  'SELECT count(*)::integer AS total FROM directory.companies',
).rows<{ total: number }>();
const EXPLAINED = statement('imported-directory.explained', `SELECT NULL::json AS "QUERY PLAN"`);
