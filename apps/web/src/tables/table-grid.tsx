import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { onTableChange, pollEvery } from '../api/live';
import type { Row, Table } from '../api/resources';
import { EmptyState, Skeletons } from '../ui/controls';
import { CellDialog } from './cell-dialog';
import { shownColumns, type Layout } from './columns';
import { FitDialog } from './fit-dialog';
import { Grid } from './grid';
import { RowPages } from './row-pages';
import { useLayout } from './use-layout';
import type { Sort } from './view-text';

interface TableGridProps {
  readonly table: Table;
  /** True while rows are added or cells are looked up. */
  readonly isLive?: boolean;
  readonly view?: { readonly id: string; readonly row_count: number } | null;
  /** Shown when the view has no rows. */
  readonly noMatch?: ReactNode;
  /** Shown when the table has no rows: the next thing to do. */
  readonly noRows?: ReactNode;
  readonly layout?: Layout;
  readonly onLayout?: (change: Partial<Layout>) => void;
  readonly sort?: Sort;
  readonly onSort?: (key: string) => void;
  /** `row id/column key` of the explained cell, if the address contains it. */
  readonly openCell?: string | undefined;
  readonly onOpenCell?: (cell: string | undefined) => void;
  readonly onManage?: ((key: string) => void) | undefined;
}

const UNSORTED: Sort = new Map();
const POLL_MS = 1_500;

/** The rows of a table or view, with dialogs that explain cells and fits. */
export function TableGrid(props: TableGridProps) {
  const { table, isLive = false, view = null, sort = UNSORTED, onSort } = props;
  const [ownLayout, setOwnLayout, isArranged] = useLayout(table);
  const [ownCell, setOwnCell] = useState<string>();
  const [fitRow, setFitRow] = useState<Row | null>(null);
  const layout = props.layout ?? ownLayout;
  const setLayout = props.onLayout ?? setOwnLayout;
  const openCell = props.onOpenCell ? props.openCell : ownCell;
  const setOpenCell = props.onOpenCell ?? setOwnCell;

  const viewId = view?.id;
  const pages = useMemo(
    () => new RowPages(`/v1/tables/${table.id}/window${viewId ? `?view=${viewId}` : ''}`),
    [table.id, viewId],
  );
  const rowCount = view?.row_count ?? table.row_count;
  useEffect(() => onTableChange((id) => id === table.id && pages.reload()), [pages, table.id]);
  useEffect(() => {
    if (!isLive) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const lookLater = () => {
      timer = setTimeout(() => {
        pages.reload();
        lookLater();
      }, pollEvery(POLL_MS));
    };
    lookLater();
    return () => {
      clearTimeout(timer);
      // Once more, for changes after the last poll.
      pages.reload();
    };
  }, [pages, isLive]);

  const columns = useMemo(() => shownColumns(table, layout), [table, layout]);
  if (rowCount === 0 && view && !isLive) return props.noMatch;
  if (rowCount === 0)
    return (
      <EmptyState title={isLive ? 'No rows yet' : 'This table has no rows'}>
        {isLive ? 'They appear here as they are found.' : props.noRows}
      </EmptyState>
    );
  if (!isArranged) return <Skeletons />;
  const [rowId = '', columnKey = ''] = splitCell(openCell);
  const column = table.columns.find(({ key }) => key === columnKey);
  return (
    <>
      <Grid
        label={table.name}
        columns={columns}
        rowCount={rowCount}
        pages={pages}
        sort={sort}
        onSort={(key) => onSort?.(key)}
        onWidth={(key, width) => setLayout({ widths: { ...layout.widths, [key]: width } })}
        onOpenCell={(row, { key }) => setOpenCell(`${row.id}/${key}`)}
        onOpenFit={setFitRow}
        onManage={props.onManage}
      />
      {column && (
        <CellDialog
          tableId={table.id}
          rowId={rowId}
          column={column}
          onClose={() => setOpenCell(undefined)}
          onManage={
            props.onManage &&
            ((key) => {
              setOpenCell(undefined);
              props.onManage?.(key);
            })
          }
        />
      )}
      {fitRow && <FitDialog row={fitRow} columns={table.columns} onClose={() => setFitRow(null)} />}
    </>
  );
}

/** A column key may contain a slash; a row id does not. */
function splitCell(cell: string | undefined): string[] {
  const slash = cell?.indexOf('/') ?? -1;
  return cell && slash > 0 ? [cell.slice(0, slash), cell.slice(slash + 1)] : [];
}
