import { useState } from 'react';
import type { Table } from '../api/resources';
import type { TableSearch } from '../router';
import { Button, controls, Options, SelectField, TextField } from '../ui/controls';
import { readNumber } from '../ui/format';
import { operatorsOf, operatorText, WITHOUT_VALUE, writeFilter, type Operator } from './view-text';

interface FilterPanelProps {
  readonly table: Table;
  readonly search: TableSearch;
  readonly onChange: (part: Partial<TableSearch>) => void;
}

export function FilterPanel({ table, search, onChange }: FilterPanelProps) {
  const [key, setKey] = useState(table.columns[0]?.key ?? '');
  const [chosenOp, setOp] = useState<Operator>('contains');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string>();
  const kind = table.columns.find((column) => column.key === key)?.kind ?? 'text';
  const operators = operatorsOf(kind);
  const op = operators.includes(chosenOp) ? chosenOp : operators[0]!;
  const needsValue = !WITHOUT_VALUE.has(op);
  const change = (written: string) => {
    setValue(written);
    setProblem(undefined);
  };
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
        <option value="unknown">Unknown</option>
      </SelectField>
      <form
        className={controls.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (needsValue && value.trim() === '') {
            setProblem('Enter a value to compare with.');
            return;
          }
          const number = kind === 'number' && needsValue ? readNumber(value) : undefined;
          if (number === null) {
            setProblem(`“${value.trim()}” is not a number.`);
            return;
          }
          // Addresses contain plain numbers, because they may be opened in a locale with other separators.
          const filter = writeFilter({ key, op, value: String(number ?? value.trim()) });
          onChange({ filter: [...new Set([...(search.filter ?? []), filter])] });
          change('');
        }}
      >
        <SelectField
          label="Column"
          value={key}
          onChange={({ target }) => {
            setKey(target.value);
            // A text entered for a column of another kind does not apply to this one.
            if (table.columns.find((column) => column.key === target.value)?.kind !== kind) change('');
          }}
        >
          <Options of={table.columns.map((column) => [column.key, column.name])} />
        </SelectField>
        <SelectField label="Condition" value={op} onChange={({ target }) => setOp(target.value as Operator)}>
          <Options of={operators.map((each) => [each, operatorText(each, kind)])} />
        </SelectField>
        {needsValue && kind === 'boolean' && (
          <SelectField label="Value" value={value} onChange={({ target }) => change(target.value)}>
            <option value="" />
            <option value="true">Yes</option>
            <option value="false">No</option>
          </SelectField>
        )}
        {needsValue && kind !== 'boolean' && (
          <TextField
            label="Value"
            value={value}
            problem={problem}
            {...(kind === 'date' ? { type: 'date' } : {})}
            {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
            onChange={({ target }) => change(target.value)}
          />
        )}
        <Button type="submit" look="primary">
          Add filter
        </Button>
      </form>
    </>
  );
}
