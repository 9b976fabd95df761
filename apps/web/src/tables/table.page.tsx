import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/http';
import { useMay } from '../api/may';
import { destinationsQuery, tableQuery } from '../api/queries';
import type { Column, Destination, Table } from '../api/resources';
import { SendDialog } from '../destinations/send-dialog';
import { EnrollRowsDialog } from '../outreach/enroll-dialog';
import type { TableSearch } from '../router';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import { Button, joinClasses, controls, EmptyState, ErrorNotice, Skeletons } from '../ui/controls';
import { formatCount, formatNumber } from '../ui/format';
import { Popover } from '../ui/popover';
import { AddColumnDialog } from './add-column-dialog';
import { ColumnFacts } from './column-facts';
import { ColumnsPanel } from './columns-panel';
import type { Layout } from './columns';
import { EnrichmentBar } from './enrichment-bar';
import { ExportDialog } from './export-dialog';
import { useFilling } from './filling';
import { FilterPanel } from './filter-panel';
import { filterParts, type FilterPart } from './filter-parts';
import { ManageDialog } from './manage-dialog';
import { SortPanel } from './sort-panel';
import { TableGrid } from './table-grid';
import css from './tables.module.css';
import { useLayout } from './use-layout';
import { viewQuery } from './view';
import { nextSort, readFilter, readSort } from './view-text';

export function TablePage() {
  const { tableId } = useParams({ from: '/shell/tables/$tableId' });
  const table = useQuery(tableQuery(tableId));
  return (
    <AddressedResult query={table} wayOut={<Link to="/tables">Back to tables</Link>}>
      {(data) => <TableView key={data.id} table={data} />}
    </AddressedResult>
  );
}

type TableDialog = 'column' | 'export' | 'enroll' | 'send' | 'manage';

function TableView({ table }: { table: Table }) {
  const search = useSearch({ from: '/shell/tables/$tableId' });
  const navigate = useNavigate({ from: '/tables/$tableId' });
  const [layout, setLayout] = useLayout(table);
  const [dialog, setDialog] = useState<TableDialog | null>(null);
  const [managed, setManaged] = useState<Column | null>(null);
  const [filling, setFilling] = useFilling(table.id);
  const [isLive, setLive] = useState(false);
  const view = useQuery({ ...viewQuery(table, search), placeholderData: keepPreviousData });
  // Until the view is loaded, actions would apply to rows that its filters leave out.
  const isInForce = view.isSuccess && !view.isPlaceholderData;
  const mayChange = useMay('change');
  const destinations = useQuery({ ...destinationsQuery(), enabled: mayChange }).data?.items;
  const change = (part: Partial<TableSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const forgetColumn = (deleted: string) => {
    setManaged(null);
    const isKept = (text: string) => readFilter(text)?.key !== deleted;
    change({
      cell: undefined,
      filter: search.filter?.some(isKept) ? search.filter.filter(isKept) : undefined,
      ...(readSort(search.sort).has(deleted) ? { sort: undefined } : {}),
    });
  };
  const manage = mayChange
    ? (key: string) => setManaged(table.columns.find((column) => column.key === key) ?? null)
    : undefined;
  const parts = filterParts(table, search);
  // Rows of another view must not be shown under this filter.
  const shown = view.data === undefined ? null : (view.data?.row_count ?? table.row_count);
  return (
    <Page
      isFull
      title={table.name}
      intro={<TableFacts table={table} shown={shown} />}
      actions={
        <TableToolbar
          table={table}
          search={search}
          layout={layout}
          destinations={destinations}
          isInForce={isInForce}
          onChange={change}
          onLayout={setLayout}
          onDialog={setDialog}
          onManage={manage}
        />
      }
    >
      {parts.length > 0 && <FilterLine parts={parts} onChange={change} />}
      {filling && mayChange && (
        <EnrichmentBar
          key={filling.enrichment.id}
          table={table}
          search={search}
          filling={filling}
          onChange={setFilling}
          onLive={setLive}
        />
      )}
      {view.error && (
        <ErrorNotice
          error={view.error}
          // A refused filter stays refused until its value changes.
          {...(isRefusal(view.error) ? {} : { onRetry: () => void view.refetch() })}
        />
      )}
      {view.data === undefined ? (
        !view.error && <Skeletons />
      ) : (
        <div className={css.gridPlace} data-busy={view.isFetching && view.isPlaceholderData}>
          <TableGrid
            table={table}
            isLive={isLive}
            view={view.data}
            noMatch={<NoMatch table={table} search={search} parts={parts} onChange={change} />}
            layout={layout}
            onLayout={setLayout}
            sort={readSort(search.sort)}
            onSort={(key) => change({ sort: nextSort(search.sort, key) })}
            openCell={search.cell}
            onOpenCell={(cell) => change({ cell })}
            onManage={manage}
          />
        </div>
      )}
      {dialog === 'column' && (
        <AddColumnDialog
          table={table}
          view={view.data?.id}
          onClose={() => setDialog(null)}
          onStarted={(started) => setFilling({ ...started, search: { ...search, cell: undefined } })}
        />
      )}
      {(dialog === 'manage' || managed) && (
        <ManageDialog
          table={table}
          column={managed}
          onClose={() => {
            setDialog(null);
            setManaged(null);
          }}
          onDeleted={forgetColumn}
        >
          {managed && (
            <ColumnFacts
              table={table}
              columnKey={managed.key}
              search={search}
              onStarted={(started) => {
                setManaged(null);
                setFilling(started);
              }}
            />
          )}
        </ManageDialog>
      )}
      {dialog === 'export' && (
        <ExportDialog table={table} layout={layout} view={view.data?.id} onClose={() => setDialog(null)} />
      )}
      {dialog === 'enroll' && (
        <EnrollRowsDialog table={table} view={view.data ?? null} onClose={() => setDialog(null)} />
      )}
      {dialog === 'send' && destinations && (
        <SendDialog
          table={table}
          destinations={destinations}
          view={view.data?.id}
          onClose={() => setDialog(null)}
        />
      )}
    </Page>
  );
}

interface TableToolbarProps {
  readonly table: Table;
  readonly search: TableSearch;
  readonly layout: Layout;
  /** Undefined while they are loaded, and for roles that may not send. */
  readonly destinations: readonly Destination[] | undefined;
  /** False until the view is loaded. */
  readonly isInForce: boolean;
  readonly onChange: (part: Partial<TableSearch>) => void;
  readonly onLayout: (change: Partial<Layout>) => void;
  readonly onDialog: (dialog: TableDialog) => void;
  readonly onManage: ((key: string) => void) | undefined;
}

/** Filters, sorts and arranges the table, and opens the dialogs that work on its rows. */
function TableToolbar({
  table,
  search,
  layout,
  destinations,
  isInForce,
  onChange,
  onLayout,
  onDialog,
  onManage,
}: TableToolbarProps) {
  const mayChange = useMay('change');
  const count = search.filter?.length ?? 0;
  return (
    <div role="toolbar" aria-label="Table" className={joinClasses(controls.row, css.toolbar)}>
      <Popover label="Filter" trigger={<Button>Filter{count > 0 ? ` ${count}` : ''}</Button>}>
        <FilterPanel table={table} search={search} onChange={onChange} />
      </Popover>
      <Popover label="Sort" trigger={<Button>Sort</Button>}>
        <SortPanel table={table} sort={search.sort} onChange={(sort) => onChange({ sort })} />
      </Popover>
      <Popover label="Columns" trigger={<Button>Columns</Button>}>
        <ColumnsPanel table={table} layout={layout} onChange={onLayout} onManage={onManage} />
      </Popover>
      {mayChange && (
        <>
          <Button disabled={!isInForce} onClick={() => onDialog('column')}>
            Add column
          </Button>
          <Button disabled={!isInForce} onClick={() => onDialog('export')}>
            Export
          </Button>
          <Button disabled={!isInForce} onClick={() => onDialog('enroll')}>
            Write to…
          </Button>
        </>
      )}
      {destinations?.length === 0 && (
        <Link to="/settings/destinations" className={controls.button}>
          Send to…
        </Link>
      )}
      {destinations && destinations.length > 0 && (
        <Button disabled={!isInForce} onClick={() => onDialog('send')}>
          Send to…
        </Button>
      )}
      {mayChange && (
        <Button aria-haspopup="dialog" onClick={() => onDialog('manage')}>
          Rename or delete…
        </Button>
      )}
    </div>
  );
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.status === 400;

/** @param shown number of rows in the view; null without a view */
function TableFacts({ table, shown }: { table: Table; shown: number | null }) {
  if (shown === null) return null;
  const { qualified, disqualified } = table.fit_counts;
  return (
    <>
      {shown === table.row_count
        ? formatCount(table.row_count, 'row')
        : `${formatNumber(shown)} of ${formatCount(table.row_count, 'row')}`}
      {qualified > 0 && `, ${formatNumber(qualified)} fit`}
      {disqualified > 0 && `, ${formatNumber(disqualified)} ${disqualified === 1 ? 'does' : 'do'} not fit`}
      {shown > 0 && (
        <span className={css.help}>
          {' '}
          · Double-click a cell, or press Enter on it, for its source and cost.
        </span>
      )}
    </>
  );
}

interface FilterLineProps {
  readonly parts: readonly FilterPart[];
  readonly onChange: (part: Partial<TableSearch>) => void;
}

function FilterLine({ parts, onChange }: FilterLineProps) {
  return (
    <ul className={css.filters} aria-label="Active filters">
      {parts.map(({ text, without }) => (
        <FilterChip key={text} text={text} onRemove={() => onChange(without)} />
      ))}
    </ul>
  );
}

interface NoMatchProps extends FilterLineProps {
  readonly table: Table;
  readonly search: TableSearch;
}

/** Shows for each filter how many rows there are without it, so that users see which one leaves no rows. */
function NoMatch({ parts, ...props }: NoMatchProps) {
  return (
    <EmptyState
      title="No rows match these filters"
      action={
        <ul className={css.loosen} aria-label="Rows without a filter">
          {parts.map((part) => (
            <RowsWithout key={part.text} part={part} {...props} />
          ))}
        </ul>
      }
    >
      Remove a filter to see more.
    </EmptyState>
  );
}

function RowsWithout({
  part: { text, without },
  table,
  search,
  onChange,
}: Omit<NoMatchProps, 'parts'> & { part: FilterPart }) {
  const view = useQuery(viewQuery(table, { ...search, ...without }));
  if (view.data === undefined) return null;
  const rows = view.data?.row_count ?? table.row_count;
  return (
    <li>
      {rows === 0 ? (
        `0 rows without ${text}`
      ) : (
        <Button size="small" onClick={() => onChange(without)}>
          {formatCount(rows, 'row')} without {text}
        </Button>
      )}
    </li>
  );
}

function FilterChip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <li>
      <Button size="small" aria-label={`Remove ${text}`} onClick={onRemove}>
        {text} <span aria-hidden="true">✕</span>
      </Button>
    </li>
  );
}
