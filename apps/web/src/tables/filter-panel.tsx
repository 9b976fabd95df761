import { useState } from 'react';
import type { Table } from '../api/resources';
import type { TableSearch } from '../router';
import { Button, controls, SelectField, TextField } from '../ui/controls';
import { OPERATORS, WITHOUT_VALUE, writeFilter, type Operator } from './view-text';

interface FilterPanelProps {
  readonly table: Table;
  readonly search: TableSearch;
  readonly onChange: (part: Partial<TableSearch>) => void;
}

export function FilterPanel({ table, search, onChange }: FilterPanelProps) {
  const [key, setKey] = useState(table.columns[0]?.key ?? '');
  const [op, setOp] = useState<Operator>('contains');
  const [value, setValue] = useState('');
  const needsValue = !WITHOUT_VALUE.has(op);
  return (
    <>
      <TextField
        label="Any column contains"
        type="search"
        defaultValue={search.q ?? ''}
        onKeyDown={({ key: pressed, currentTarget }) => {
          if (pressed === 'Enter') onChange({ q: currentTarget.value.trim() || undefined });
        }}
        onBlur={({ currentTarget }) => {
          const q = currentTarget.value.trim() || undefined;
          if (q !== search.q) onChange({ q });
        }}
      />
      <SelectField
        label="Fit"
        value={search.fit ?? ''}
        onChange={({ target }) => onChange({ fit: target.value || undefined })}
      >
        <option value="">Any</option>
        <option value="qualified">Fits</option>
        <option value="disqualified">Does not fit</option>
        <option value="unknown">Not known</option>
      </SelectField>
      <form
        className={controls.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (needsValue && value.trim() === '') return;
          const filter = writeFilter({ key, op, value: value.trim() });
          onChange({ filter: [...new Set([...(search.filter ?? []), filter])] });
          setValue('');
        }}
      >
        <SelectField label="Column" value={key} onChange={({ target }) => setKey(target.value)}>
          {table.columns.map((column) => (
            <option key={column.key} value={column.key}>
              {column.name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Condition" value={op} onChange={({ target }) => setOp(target.value as Operator)}>
          {Object.entries(OPERATORS).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </SelectField>
        {needsValue && (
          <TextField label="Value" value={value} onChange={({ target }) => setValue(target.value)} />
        )}
        <Button type="submit" look="primary">
          Add filter
        </Button>
      </form>
    </>
  );
}
