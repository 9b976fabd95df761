import { useMemo, useState } from 'react';
import { placeWithin, rangeOf, type GridSize, type Place } from './grid-places';

/** Selected cells of a grid: the active one, and the range from where the selection began. */
export function useSelection(size: GridSize) {
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Place | null>(null);
  const range = useMemo(() => rangeOf(anchor ?? active, active), [anchor, active]);
  return {
    active,
    range,
    /** Makes a place active, alone or as the end of a range. @returns the place, and the beginning of its range */
    selectPlace: (place: Place, isRange: boolean): { active: Place; start: Place } => {
      const next = placeWithin(place, size);
      const start = isRange ? (anchor ?? active) : next;
      setAnchor(isRange ? start : null);
      setActive(next);
      return { active: next, start };
    },
    selectAll: (): void => {
      setAnchor({ row: 0, column: 0 });
      setActive({ row: size.rowCount - 1, column: size.columnCount - 1 });
    },
    endRange: (): void => setAnchor(null),
  };
}
