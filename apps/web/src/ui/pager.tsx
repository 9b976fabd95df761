import { useState } from 'react';
import { Button, controls } from './controls';

/** Pages of a list with cursors, of which the server names only the next one. */
export interface CursorPages {
  /** The page on the screen; null for the first. */
  readonly cursor: string | null;
  readonly toFirst: () => void;
  readonly toBefore: () => void;
  readonly to: (cursor: string) => void;
}

export function useCursorPages(): CursorPages {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    cursor: cursors.at(-1) ?? null,
    toFirst: () => setCursors([]),
    toBefore: () => setCursors(cursors.slice(0, -1)),
    to: (cursor) => setCursors([...cursors, cursor]),
  };
}

interface PagerProps {
  readonly pages: CursorPages;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** Labels of both directions, for lists whose newest entry is not first. */
  readonly labels?: readonly [before: string, after: string];
}

export function Pager({ pages, next, labels: [before, after] = ['Newer', 'Older'] }: PagerProps) {
  return (
    <div className={controls.row}>
      {pages.cursor !== null && <Button onClick={pages.toBefore}>{before}</Button>}
      {next !== null && <Button onClick={() => pages.to(next)}>{after}</Button>}
    </div>
  );
}
