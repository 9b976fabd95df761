import type { Table } from '../api/resources';
import { Button, Options, SelectField } from '../ui/controls';
import { readSort, writeSort, type Direction } from './view-text';

interface SortPanelProps {
  readonly table: Table;
  readonly sort: string | undefined;
  readonly onChange: (sort: string | undefined) => void;
}

export function SortPanel({ table, sort, onChange }: SortPanelProps) {
  const [[key = '', direction = 'asc'] = []] = readSort(sort);
  const set = (nextKey: string, next: Direction) => onChange(nextKey ? writeSort(nextKey, next) : undefined);
  return (
    <>
      <SelectField label="Sort by" value={key} onChange={({ target }) => set(target.value, direction)}>
        <option value="">Original order</option>
        <Options of={table.columns.map((column) => [column.key, column.name])} />
      </SelectField>
      <SelectField
        label="Direction"
        value={direction}
        disabled={!key}
        onChange={({ target }) => set(key, target.value as Direction)}
      >
        <option value="asc">Smallest first, A to Z</option>
        <option value="desc">Largest first, Z to A</option>
      </SelectField>
      {key && (
        <Button look="quiet" onClick={() => onChange(undefined)}>
          Remove sorting
        </Button>
      )}
    </>
  );
}
