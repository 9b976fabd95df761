import type { ColumnJson, FitCounts, OutputSchema } from '@quarry/dto';
import { itemOf, peopleOfCompanies, projectRow, type PeopleOfCompanies } from '@quarry/plan';
import { validatorOf } from './schema-validation.js';

/** A frozen table as input of the published output. */
export interface PublishedTable {
  key: string;
  name: string;
  tableId: string;
  columns: ColumnJson[];
  rowCount: number;
  fitCounts: FitCounts;
}

/** Rows of a table that do not meet the item schema of the output. */
export interface LeftOutRows {
  /** Key of the table. */
  key: string;
  /** Number of rows in the output. */
  published: number;
  /** Number of rows in the table. */
  total: number;
  /** Required properties that at least one of these rows lacks. */
  properties: string[];
}

/** Rows of the tables of a run that an output has in its lists. */
export class ListedRows {
  private readonly read = new Map<string, Promise<Array<Record<string, unknown>>>>();
  /** By key of the table; of several lists of its columns, the longest. */
  private readonly listed = new Map<string, LeftOutRows & { items: number }>();

  constructor(private readonly rowsOfTable: (tableId: string) => Promise<Array<Record<string, unknown>>>) {}

  /** Returns the rows of a table, which is read once. */
  rowsOf({ tableId }: PublishedTable): Promise<Array<Record<string, unknown>>> {
    const rows = this.read.get(tableId) ?? this.rowsOfTable(tableId);
    this.read.set(tableId, rows);
    return rows;
  }

  /** @returns the items of a list, as many as it may have; of single values, those of the column */
  async itemsOf(
    table: PublishedTable,
    { items: item = {}, maxItems, uniqueItems }: OutputSchema,
    column: ColumnJson | undefined = table.columns[0],
  ): Promise<unknown[]> {
    const rows = await this.rowsOf(table);
    const parts = peopleOfCompanies(table.key, item) as (PeopleOfCompanies & Staffed) | null;
    // Plans of earlier versions, which monitors keep, have rows of companies, with a column for the list.
    const staffed = table.columns.some(({ key }) => key === parts?.list) ? null : parts;
    const companies = staffed && companiesOf(staffed, rows);
    const made = companies ?? { items: rows.map((row) => itemOf(item, row, column)), properties: [] };
    const { items: admitted, properties } = admitRows(item, made.items);
    const items = (uniqueItems ? uniqueOf(admitted) : admitted).slice(0, maxItems);
    const published = staffed
      ? items.reduce<number>(
          (sum, each) => sum + (each as Record<string, unknown[]>)[staffed.list]!.length,
          0,
        )
      : items.length;
    if (published >= (this.listed.get(table.key)?.published ?? 0))
      this.listed.set(table.key, {
        key: table.key,
        items: items.length,
        published,
        total: rows.length,
        properties: [...new Set([...made.properties, ...properties])],
      });
    return items;
  }

  /** Returns the number of items that the output has of a table; all its rows when no list has them. */
  countOf({ key, rowCount }: PublishedTable): number {
    return this.listed.get(key)?.items ?? rowCount;
  }

  get leftOut(): LeftOutRows[] {
    return [...this.listed.values()].flatMap(({ items: _, ...each }) =>
      each.published < each.total ? each : [],
    );
  }
}

function uniqueOf(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Splits rows by the item schema. @returns the rows that meet it, and the properties that the others fail */
function admitRows(item: OutputSchema, rows: unknown[]): { items: unknown[]; properties: string[] } {
  const validate = validatorOf(item);
  const lacking = new Set<string>();
  const items = rows.filter((row) => {
    if (validate(row)) return true;
    const { instancePath = '', params } = validate.errors?.[0] ?? {};
    const steps = [
      ...instancePath.split('/').slice(1),
      (params?.missingProperty as string | undefined) ?? [],
    ];
    const property = steps.flat().join('.');
    if (property) lacking.add(property.replaceAll('~1', '/').replaceAll('~0', '~'));
    return false;
  });
  return { items, properties: [...lacking] };
}

/** Parts of the schema of a company that lists its people. */
interface Staffed {
  readonly people: OutputSchema;
  readonly person: OutputSchema;
  readonly company: OutputSchema;
}

/** Lists people in their companies, in the order of their first rows. @returns also the properties that left-out people fail */
function companiesOf(
  { list, people, person, company }: Pick<PeopleOfCompanies, 'list'> & Staffed,
  rows: ReadonlyArray<Record<string, unknown>>,
): { items: unknown[]; properties: string[] } {
  const projected = rows
    .map((row) => ({
      domain: row.company_domain,
      of: projectRow(company, row, 'company_'),
      each: projectRow(person, row),
    }))
    .filter(({ each }) => Object.values(each).some((value) => value !== null));
  const { items: admitted, properties } = admitRows(
    person,
    projected.map(({ each }) => each),
  );
  const isAdmitted = new Set(admitted);
  const byCompany = Map.groupBy(
    projected.filter(({ each }) => isAdmitted.has(each)),
    ({ domain, of }) => JSON.stringify([domain, of]),
  );
  const items = [...byCompany.values()].map((group) => {
    const all = group.map(({ each }) => each);
    return { ...group[0]!.of, [list]: (people.uniqueItems ? uniqueOf(all) : all).slice(0, people.maxItems) };
  });
  return { items, properties };
}
