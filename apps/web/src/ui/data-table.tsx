import type { Key, ReactNode } from 'react';
import { controls, QueryResult, type QueryLike } from './controls';
import { Pager, type Pages } from './pager';

type Content<Row> = (row: Row, index: number) => ReactNode;
/** A text that is cut off where it is too long, a figure at the right, or a button or link under a heading for screen readers. */
type Look = 'line' | 'number' | 'action';
type Cell<Row> = Content<Row> | { [Each in Look]: Readonly<Record<Each, Content<Row>>> }[Look];

function readCell<Row>(cell: Cell<Row>): { look?: Look; content: Content<Row> } {
  if (typeof cell === 'function') return { content: cell };
  if ('line' in cell) return { look: 'line', content: cell.line };
  if ('number' in cell) return { look: 'number', content: cell.number };
  return { look: 'action', content: cell.action };
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => Key;
  /** Cells of a row by the heading of their column; null leaves a column out. */
  readonly columns: Readonly<Record<string, Cell<Row> | null>>;
}

export function DataTable<Row>({ label, rows, keyOf, columns }: DataTableProps<Row>) {
  const cells = Object.entries(columns).flatMap(([heading, cell]) =>
    cell === null ? [] : [{ heading, ...readCell(cell) }],
  );
  return (
    <div className={controls.tableWrap} role="region" aria-label={label} tabIndex={0}>
      <table className={controls.table}>
        <thead>
          <tr>
            {cells.map(({ heading, look }) => (
              <th key={heading} className={look === 'number' ? controls.number : undefined}>
                {look === 'action' ? <span className="visually-hidden">{heading}</span> : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)}>
              {cells.map(({ heading, look, content }) => (
                <td key={heading} className={look && controls[look === 'action' ? 'number' : look]}>
                  {content(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ListAnswer<Item, Position> {
  readonly items: readonly Item[];
  readonly next_cursor?: Position | null;
  readonly next_offset?: Position | null;
}

interface ListProps<Item, Position> {
  readonly query: QueryLike<ListAnswer<Item, Position>>;
  /** Left out for a list of a single page. */
  readonly pages?: Pages<Position>;
  /** Labels of both directions, for lists whose newest entry is not first. */
  readonly pageLabels?: readonly [before: string, after: string] | undefined;
  /** Shown in place of a list without items. */
  readonly empty: ReactNode;
}

/** The items of a query with the way to its other pages, or that there are none. */
export function ListResult<Item, Position>({
  query,
  pages,
  pageLabels,
  empty,
  children,
}: ListProps<Item, Position> & { readonly children: (items: readonly Item[]) => ReactNode }) {
  return (
    <QueryResult query={query}>
      {({ items, next_cursor: cursor, next_offset: offset }) =>
        items.length === 0 && !pages?.position ? (
          empty
        ) : (
          <>
            {children(items)}
            {pages && <Pager pages={pages} next={cursor ?? offset ?? null} labels={pageLabels} />}
          </>
        )
      }
    </QueryResult>
  );
}

/** A table of the items of a query. */
export function DataList<Item, Position>({
  label,
  keyOf,
  columns,
  ...list
}: ListProps<Item, Position> & Omit<DataTableProps<Item>, 'rows'>) {
  return (
    <ListResult {...list}>
      {(items) => <DataTable label={label} rows={items} keyOf={keyOf} columns={columns} />}
    </ListResult>
  );
}
