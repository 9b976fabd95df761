import type { Table } from '../api/resources';
import { CheckField, Field, Options, SelectField } from '../ui/controls';
import { formatField } from '../ui/format';
import css from './dialogs.module.css';
import type { InputProperty } from './guess-inputs';
import type { InputChoice } from './input-choice';

interface InputFieldProps {
  readonly name: string;
  readonly property: InputProperty;
  readonly table: Table;
  readonly choice: InputChoice | undefined;
  readonly onChange: (choice: InputChoice | undefined) => void;
}

/** A character that no column key contains. */
const OWN = '\0';

/** Selects the source of an input: a column, or a text that is the same in all rows and may contain columns. */
export function InputField({ name, property, table, choice, onChange }: InputFieldProps) {
  const { description, type, enum: values } = property;
  const label = formatField(name);
  if (type === 'boolean')
    return (
      <CheckField
        label={description ?? label}
        checked={choice !== undefined}
        onChange={({ target }) => onChange(target.checked ? { own: 'true' } : undefined)}
      />
    );
  if (values)
    return (
      <SelectField
        label={label}
        hint={description}
        value={choice && 'own' in choice ? choice.own : ''}
        onChange={({ target }) => onChange(target.value ? { own: target.value } : undefined)}
      >
        <option value="">Default</option>
        <Options of={values.map((value) => [value, formatField(value)])} />
      </SelectField>
    );
  const select = (value: string) => {
    if (value === OWN) onChange({ own: '' });
    else onChange(value === '' ? undefined : { column: value });
  };
  const isOwn = choice !== undefined && 'own' in choice;
  const unknown = isOwn ? unknownColumns(choice.own, table) : [];
  return (
    <>
      <SelectField
        label={label}
        hint={description}
        value={isOwn ? OWN : (choice?.column ?? '')}
        onChange={({ target }) => select(target.value)}
      >
        <option value="">Nothing</option>
        <option value={OWN}>Fixed text</option>
        <Options of={table.columns.map((column) => [column.key, column.name])} />
      </SelectField>
      {isOwn && (
        <div className={css.wide}>
          <Field
            label={`${label} of each row`}
            problem={unknown.length > 0 ? `This table has no column ${unknown.join(', ')}.` : undefined}
            hint={
              type === 'array'
                ? 'Separate them with commas.'
                : `A column in double braces stands for its value: ${table.columns.map(({ key }) => `{{${key}}}`).join(' ')}`
            }
          >
            {(props) => (
              <textarea
                {...props}
                rows={2}
                maxLength={4_000}
                value={choice.own}
                onChange={({ target }) => onChange({ own: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </>
  );
}

/** @returns names in double braces that are no columns of the table */
function unknownColumns(text: string, { columns }: Table): string[] {
  const named = [...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map(([, key]) => key!);
  return named.filter((key) => columns.every((column) => column.key !== key));
}
