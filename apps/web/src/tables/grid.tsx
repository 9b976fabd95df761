import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
} from 'react';
import type { Row } from '../api/resources';
import { formatCount, formatNumber } from '../ui/format';
import { showToast } from '../ui/toasts';
import { CellValue } from './cell-value';
import { MARKER_WIDTH, WIDTH_MAX, WIDTH_MIN, type ShownColumn } from './columns';
import { FIT } from './fit-dialog';
import css from './grid.module.css';
import { placeAfterKey, rangeText, type Place } from './grid-places';
import type { RowPages } from './row-pages';
import { useSelection } from './use-selection';
import { cellOf } from './usual-order';
import type { Sort } from './view-text';

const ROW_HEIGHT = 32;
const OVERSCAN = 4;
/** Above this many columns only visible ones are rendered. */
const COLUMNS_DRAWN_MAX = 16;

interface GridProps {
  readonly label: string;
  readonly columns: readonly ShownColumn[];
  readonly rowCount: number;
  readonly pages: RowPages;
  readonly sort: Sort;
  readonly onSort: (key: string) => void;
  readonly onWidth: (key: string, width: number) => void;
  readonly onOpenCell: (row: Row, column: ShownColumn) => void;
  readonly onOpenFit: (row: Row) => void;
  /** Opens what changes a column; undefined where columns cannot be changed. */
  readonly onManage?: ((key: string) => void) | undefined;
}

/** A grid of any number of rows, of which only the visible ones exist. Arrow keys move, Enter explains, Ctrl+C copies. */
export function Grid({
  label,
  columns,
  rowCount,
  pages,
  sort,
  onSort,
  onWidth,
  onOpenCell,
  onOpenFit,
  onManage,
}: GridProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  useSyncExternalStore(pages.subscribe, pages.version);
  const virtualizer = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_HEIGHT,
  });
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  const pool = usePool(last - first + 1);
  useEffect(() => {
    if (rowCount > 0) pages.ensure(first, Math.min(last, rowCount - 1));
  }, [pages, first, last, rowCount]);

  // Another order or other rows begin at the top.
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [pages]);

  const drawn = useDrawnColumns(columns, scroller);
  const width = (columns.at(-1)?.left ?? MARKER_WIDTH) + (columns.at(-1)?.width ?? 0);
  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 640) / ROW_HEIGHT) - 2);
  const size = { rowCount, columnCount: columns.length, pageRows };
  const { active, range, selectPlace, selectAll, endRange } = useSelection(size);

  const move = (to: Place, isRange: boolean) => {
    const { active: next, start } = selectPlace(to, isRange);
    virtualizer.scrollToIndex(next.row);
    showColumn(scroller.current, columns[next.column]);
    if (isRange) pages.ensure(Math.min(next.row, start.row), Math.max(next.row, start.row));
  };
  const open = (place: Place) => {
    const row = pages.rowAt(place.row);
    const column = columns[place.column];
    if (!row) return;
    if (column) onOpenCell(row, column);
    else onOpenFit(row);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Escape') return endRange();
    const isJump = event.ctrlKey || event.metaKey;
    const next = placeAfterKey(event.key, isJump, active, size);
    if (event.key === 'Enter') open(active);
    else if (isJump && event.key.toLowerCase() === 'a') selectAll();
    else if (next) move(next, event.shiftKey);
    else return;
    event.preventDefault();
  };
  const handleCopy = (event: ClipboardEvent) => {
    if (getSelection()?.toString()) return;
    event.preventDefault();
    const { text, rows: copied } = rangeText(range, columns, pages);
    event.clipboardData.setData('text/plain', text);
    const wanted = range.bottom - range.top + 1;
    if (copied < wanted)
      showToast(`${formatNumber(copied)} of ${formatCount(wanted, 'row')} copied; Export has them all.`);
  };
  const handlePress = (event: MouseEvent) => {
    const place = placeOf(event.target);
    if (!place) return;
    selectPlace(place, event.shiftKey);
    if (event.shiftKey) event.preventDefault();
  };
  /** A touch screen has no Enter key, and browsers often take a double tap for a zoom. */
  const handleTap = ({ nativeEvent, target }: MouseEvent) => {
    const isTouch = nativeEvent instanceof globalThis.PointerEvent && nativeEvent.pointerType === 'touch';
    const place = placeOf(target);
    if (isTouch && place && !(target as Element).closest('a, button')) open(place);
  };
  const handleDrag = (event: MouseEvent) => {
    const place = event.buttons === 1 ? placeOf(event.target) : null;
    if (place && (place.row !== active.row || place.column !== active.column)) selectPlace(place, true);
  };

  return (
    <div
      ref={scroller}
      className={css.grid}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      data-scrolling={virtualizer.isScrolling || undefined}
      aria-activedescendant={rowCount > 0 ? id : undefined}
      onKeyDown={handleKey}
      onCopy={handleCopy}
      onMouseDown={handlePress}
      onMouseOver={handleDrag}
      onClick={handleTap}
      onDoubleClick={(event) => {
        const place = placeOf(event.target);
        if (place) open(place);
      }}
    >
      <GridHead
        columns={columns}
        drawn={drawn}
        width={width}
        sort={sort}
        onSort={onSort}
        onWidth={onWidth}
        onManage={onManage}
      />
      <div role="rowgroup" className={css.body} style={{ height: rowCount * ROW_HEIGHT, width }}>
        {rows.map(({ index, start }) => {
          const isIn = index >= range.top && index <= range.bottom;
          return (
            <GridRow
              key={index % pool}
              id={id}
              index={index}
              top={start}
              row={pages.rowAt(index)}
              hasFailed={pages.hasFailedAt(index)}
              columns={columns}
              drawn={drawn}
              activeColumn={index === active.row ? active.column : null}
              from={isIn ? range.left : 1}
              to={isIn ? range.right : 0}
              onOpenFit={onOpenFit}
            />
          );
        })}
      </div>
    </div>
  );
}

interface GridHeadProps extends Pick<GridProps, 'columns' | 'sort' | 'onSort' | 'onWidth' | 'onManage'> {
  readonly drawn: ReadonlySet<number>;
  readonly width: number;
}

function GridHead({ columns, drawn, width, sort, onSort, onWidth, onManage }: GridHeadProps) {
  return (
    <div role="rowgroup" className={css.head} style={{ width }}>
      <div role="row" aria-rowindex={1} className={css.headRow}>
        <div role="columnheader" aria-colindex={1} className={css.corner} style={{ width: MARKER_WIDTH }}>
          <span className="visually-hidden">Fit</span>
        </div>
        {columns.map((column, index) =>
          drawn.has(index) ? (
            <HeadCell
              key={column.key}
              column={column}
              index={index}
              direction={sort.get(column.key)}
              onSort={onSort}
              onWidth={onWidth}
              onManage={onManage}
            />
          ) : null,
        )}
      </div>
    </div>
  );
}

interface HeadCellProps {
  readonly column: ShownColumn;
  readonly index: number;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly onSort: (key: string) => void;
  readonly onWidth: (key: string, width: number) => void;
  readonly onManage: ((key: string) => void) | undefined;
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;

function HeadCell({ column, index, direction, onSort, onWidth, onManage }: HeadCellProps) {
  const { key, name, width, isFrozen, left } = column;
  const startResize = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    event.stopPropagation();
    const handle = event.currentTarget;
    const startX = event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = ({ clientX }) =>
      onWidth(key, Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, width + clientX - startX)));
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  };
  return (
    <div
      role="columnheader"
      aria-label={name}
      aria-colindex={index + 2}
      aria-sort={direction ? ARIA_SORT[direction] : 'none'}
      className={isFrozen ? css.headFrozen : css.headCell}
      style={{ left, width }}
    >
      <button type="button" className={css.headName} tabIndex={-1} title={name} onClick={() => onSort(key)}>
        <span>{name}</span>
        {direction && <span aria-hidden="true">{direction === 'asc' ? '↑' : '↓'}</span>}
      </button>
      {onManage && (
        <button
          type="button"
          className={css.headMenu}
          tabIndex={-1}
          aria-haspopup="dialog"
          aria-label={`Change ${name}`}
          onClick={() => onManage(key)}
        >
          ⋯
        </button>
      )}
      <span className={css.handle} aria-hidden="true" onPointerDown={startResize} />
    </div>
  );
}

interface GridRowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly row: Row | undefined;
  readonly hasFailed: boolean;
  readonly columns: readonly ShownColumn[];
  readonly drawn: ReadonlySet<number>;
  readonly activeColumn: number | null;
  /** The selected columns of this row; none where `from` is above `to`. */
  readonly from: number;
  readonly to: number;
  readonly onOpenFit: (row: Row) => void;
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { id, index, top, row, hasFailed, columns, drawn, activeColumn, from, to, onOpenFit } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={css.row}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        id={activeColumn === -1 ? id : undefined}
        className={css.marker}
        style={MARKER_STYLE}
      >
        {row && (
          <button
            type="button"
            tabIndex={-1}
            className={css.fit}
            data-fit={row.fit.status}
            aria-label={`Row ${formatNumber(index + 1)}, fit: ${FIT[row.fit.status][1]}`}
            onClick={() => onOpenFit(row)}
          />
        )}
        <span>{formatNumber(index + 1)}</span>
      </div>
      {columns.map((column, place) => {
        if (!drawn.has(place)) return null;
        const { key, kind, isFrozen } = column;
        return (
          <div
            key={key}
            role="gridcell"
            aria-colindex={place + 2}
            aria-selected={(place >= from && place <= to) || undefined}
            id={activeColumn === place ? id : undefined}
            data-kind={kind}
            className={isFrozen ? css.frozen : css.cell}
            style={styleOf(column)}
          >
            {row ? (
              <CellValue value={row.values[key]} cell={cellOf(row, key)} column={column} />
            ) : hasFailed ? (
              <span className={css.failed}>not loaded</span>
            ) : (
              <span className={css.loading} aria-hidden="true" />
            )}
          </div>
        );
      })}
    </div>
  );
});

/**
 * Rows that leave at one end are reused at the other, with a React key of the row number modulo this pool size. The size only
 * grows, because another size would render every row again, and the number of visible rows changes with each scroll.
 */
function usePool(size: number): number {
  const [pool, setPool] = useState(size);
  if (size > pool) setPool(size);
  return Math.max(pool, size);
}

/** @returns the columns to render: all of them, or the visible and frozen ones when there are many */
function useDrawnColumns(columns: readonly ShownColumn[], scroller: RefObject<HTMLDivElement | null>) {
  const [sight, setSight] = useState({ left: 0, right: 2_000 });
  const isMany = columns.length > COLUMNS_DRAWN_MAX;
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isMany) return;
    const look = () =>
      setSight((before) => {
        // In steps of 200 px, so that scrolling by a pixel renders nothing.
        const left = Math.floor(element.scrollLeft / 200) * 200 - 200;
        const right = left + element.clientWidth + 600;
        return before.left === left && before.right === right ? before : { left, right };
      });
    look();
    element.addEventListener('scroll', look, { passive: true });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      watcher.disconnect();
    };
  }, [scroller, isMany]);
  return useMemo(() => {
    const isDrawn = ({ left, width, isFrozen }: ShownColumn) =>
      !isMany || isFrozen || (left + width > sight.left && left < sight.right);
    return new Set(columns.flatMap((column, index) => (isDrawn(column) ? [index] : [])));
  }, [columns, isMany, sight]);
}

/** Cells have no attribute that changes with their row, because thousands of them are rendered again while scrolling. */
function placeOf(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest('[role=gridcell]') : null;
  const row = cell?.parentElement;
  return cell && row ? { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 2 } : null;
}

const MARKER_STYLE = { width: MARKER_WIDTH };
const styles = new WeakMap<ShownColumn, { left: number; width: number }>();

/** Returns the same object for the same column, so that React need not compare its properties. */
function styleOf(column: ShownColumn): { left: number; width: number } {
  const { left, width } = column;
  const known = styles.get(column) ?? { left, width };
  styles.set(column, known);
  return known;
}

function showColumn(scroller: HTMLDivElement | null, column: ShownColumn | undefined): void {
  if (!scroller || !column || column.isFrozen) return;
  if (column.left < scroller.scrollLeft + MARKER_WIDTH) scroller.scrollLeft = column.left - MARKER_WIDTH;
  const right = column.left + column.width;
  if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}
