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
import css from './grid.module.css';
import type { RowPages } from './row-pages';
import { valueText } from './value-text';

const ROW_HEIGHT = 32;
const OVERSCAN = 4;
/** Above so many columns only those in sight are drawn. */
const COLUMNS_DRAWN_MAX = 16;

/** A place in the grid: row and column by number, -1 for the row's marker. */
interface Place {
  readonly row: number;
  readonly column: number;
}

interface GridProps {
  readonly label: string;
  readonly columns: readonly ShownColumn[];
  readonly rowCount: number;
  readonly pages: RowPages;
  readonly sort: Readonly<Record<string, 'asc' | 'desc'>>;
  readonly onSort: (key: string) => void;
  readonly onWidth: (key: string, width: number) => void;
  readonly onOpenCell: (row: Row, column: ShownColumn) => void;
  readonly onOpenFit: (row: Row) => void;
}

/** A grid of any number of rows, of which only those in sight exist. Arrow keys move, Enter explains, Ctrl+C copies. */
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
}: GridProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  useSyncExternalStore(pages.subscribe, pages.version);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Place | null>(null);
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
  const range = useMemo(() => rangeOf(anchor ?? active, active), [anchor, active]);

  const move = (to: Place, isRange: boolean) => {
    const next = {
      row: Math.max(0, Math.min(rowCount - 1, to.row)),
      column: Math.max(-1, Math.min(columns.length - 1, to.column)),
    };
    setAnchor(isRange ? (anchor ?? active) : null);
    setActive(next);
    virtualizer.scrollToIndex(next.row);
    showColumn(scroller.current, columns[next.column]);
    if (isRange)
      pages.ensure(Math.min(next.row, (anchor ?? active).row), Math.max(next.row, (anchor ?? active).row));
  };
  const open = (place: Place) => {
    const row = pages.rowAt(place.row);
    const column = columns[place.column];
    if (!row) return;
    if (column) onOpenCell(row, column);
    else onOpenFit(row);
  };
  const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 640) / ROW_HEIGHT) - 2);
  const handleKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const isJump = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter') {
      event.preventDefault();
      open(active);
      return;
    }
    if (event.key === 'Escape') {
      setAnchor(null);
      return;
    }
    const { row, column } = active;
    const to: Record<string, Place> = {
      ArrowUp: { row: isJump ? 0 : row - 1, column },
      ArrowDown: { row: isJump ? rowCount - 1 : row + 1, column },
      ArrowLeft: { row, column: isJump ? 0 : column - 1 },
      ArrowRight: { row, column: isJump ? columns.length - 1 : column + 1 },
      Home: { row: isJump ? 0 : row, column: 0 },
      End: { row: isJump ? rowCount - 1 : row, column: columns.length - 1 },
      PageUp: { row: row - pageRows, column },
      PageDown: { row: row + pageRows, column },
    };
    const next = to[event.key];
    if (isJump && event.key.toLowerCase() === 'a') {
      event.preventDefault();
      setAnchor({ row: 0, column: 0 });
      setActive({ row: rowCount - 1, column: columns.length - 1 });
    } else if (next) {
      event.preventDefault();
      move(next, event.shiftKey);
    }
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
    setAnchor(event.shiftKey ? (anchor ?? active) : null);
    setActive(place);
    if (event.shiftKey) event.preventDefault();
  };
  /** A touch screen has no Enter key, and its double tap is often taken for a zoom. */
  const handleTap = ({ nativeEvent, target }: MouseEvent) => {
    const isTouch = nativeEvent instanceof globalThis.PointerEvent && nativeEvent.pointerType === 'touch';
    const place = placeOf(target);
    if (isTouch && place && !(target as Element).closest('a, button')) open(place);
  };
  const handleDrag = (event: MouseEvent) => {
    if (event.buttons !== 1) return;
    const place = placeOf(event.target);
    if (!place || (place.row === active.row && place.column === active.column)) return;
    setAnchor(anchor ?? active);
    setActive(place);
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
                direction={sort[column.key]}
                onSort={onSort}
                onWidth={onWidth}
              />
            ) : null,
          )}
        </div>
      </div>
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

interface HeadCellProps {
  readonly column: ShownColumn;
  readonly index: number;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly onSort: (key: string) => void;
  readonly onWidth: (key: string, width: number) => void;
}

function HeadCell({ column, index, direction, onSort, onWidth }: HeadCellProps) {
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
      aria-colindex={index + 2}
      aria-sort={direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : 'none'}
      className={isFrozen ? css.headFrozen : css.headCell}
      style={{ left, width }}
    >
      <button type="button" className={css.headName} tabIndex={-1} title={name} onClick={() => onSort(key)}>
        <span>{name}</span>
        {direction && <span aria-hidden="true">{direction === 'asc' ? '↑' : '↓'}</span>}
      </button>
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
            aria-label={`Row ${formatNumber(index + 1)}, fit: ${row.fit.status}`}
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
              <CellValue value={row.values[key]} cell={row.cells[key]} column={column} />
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
 * Rows that leave at one end are drawn anew at the other, under the key that they had: a row's number modulo this. It only
 * grows, since another number would draw every row anew, and how many rows are in sight changes with each scroll.
 */
function usePool(size: number): number {
  const [pool, setPool] = useState(size);
  if (size > pool) setPool(size);
  return Math.max(pool, size);
}

/** @returns the places of columns to draw: all of them, or those in sight and the frozen ones where there are many */
function useDrawnColumns(columns: readonly ShownColumn[], scroller: RefObject<HTMLDivElement | null>) {
  const [sight, setSight] = useState({ left: 0, right: 2_000 });
  const isMany = columns.length > COLUMNS_DRAWN_MAX;
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isMany) return;
    const look = () =>
      setSight((before) => {
        // In steps of 200 px, so that a scroll by a pixel draws nothing anew.
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

interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

function rangeOf(a: Place, b: Place): Range {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.max(0, Math.min(a.column, b.column)),
    right: Math.max(a.column, b.column),
  };
}

/** @returns the selected cells as spreadsheets paste them: tabs between columns, a line for each row that is loaded; and their number */
function rangeText(
  { top, bottom, left, right }: Range,
  columns: readonly ShownColumn[],
  pages: RowPages,
): { text: string; rows: number } {
  const lines: string[] = [];
  for (let index = top; index <= bottom; index += 1) {
    const row = pages.rowAt(index);
    if (!row) continue;
    const cells = columns.slice(left, right + 1).map(({ key }) => {
      const value = row.values[key];
      const text = typeof value === 'number' ? String(value) : valueText(value);
      return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    });
    lines.push(cells.join('\t'));
  }
  return { text: lines.join('\n'), rows: lines.length };
}

/** Cells have no attribute that changes with their row: thousands of them are drawn anew while somebody scrolls. */
function placeOf(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest('[role=gridcell]') : null;
  const row = cell?.parentElement;
  return cell && row ? { row: Number(row.ariaRowIndex) - 2, column: Number(cell.ariaColIndex) - 2 } : null;
}

const MARKER_STYLE = { width: MARKER_WIDTH };
const styles = new WeakMap<ShownColumn, { left: number; width: number }>();

/** The same object for the same column, so that nothing of it is compared. */
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
