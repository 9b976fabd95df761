import { Button, controls } from './controls';
import { useEntryState } from './entry-state';

/** Pages of a list, of which the server names only the next one, by a cursor or an offset. */
export interface Pages<Position> {
  /** The page on the screen; null for the first. */
  readonly position: Position | null;
  readonly toFirst: () => void;
  readonly toBefore: () => void;
  readonly to: (position: Position) => void;
}

/** @param name of the list, where Back returns to the same page of it */
export function usePages<Position extends string | number = string>(name?: string): Pages<Position> {
  const [positions, setPositions] = useEntryState<readonly Position[]>(name && `pages of ${name}`, []);
  return {
    position: positions.at(-1) ?? null,
    toFirst: () => setPositions([]),
    toBefore: () => setPositions(positions.slice(0, -1)),
    to: (position) => setPositions([...positions, position]),
  };
}

interface PagerProps<Position> {
  readonly pages: Pages<Position>;
  /** The position of the next page; null on the last one. */
  readonly next: Position | null;
  readonly labels?: readonly [before: string, after: string] | undefined;
}

export function Pager<Position>({
  pages,
  next,
  labels: [before, after] = ['Newer', 'Older'],
}: PagerProps<Position>) {
  return (
    <div className={controls.row}>
      {pages.position !== null && <Button onClick={pages.toBefore}>{before}</Button>}
      {next !== null && <Button onClick={() => pages.to(next)}>{after}</Button>}
    </div>
  );
}
