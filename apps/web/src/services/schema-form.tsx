import { CheckField, Options, SelectField, TextField, Field } from '../ui/controls';
import { formatField } from '../ui/format';

/** The part of JSON Schema that inputs of services use. */
interface Property {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

export interface InputSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

export type InputText = Readonly<Record<string, string>>;

/** Returns the type to enter. Lists and objects are entered as JSON, plain lists also line by line. */
function typeOf({ type }: Property): string {
  return [type].flat().find((each) => each !== 'null') ?? 'json';
}

/** @returns the value of a text field @throws SyntaxError for malformed JSON */
function valueOf(text: string, property: Property): unknown {
  switch (typeOf(property)) {
    case 'number':
    case 'integer':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'string':
      return text;
    case 'array':
      if (!text.trim().startsWith('['))
        return text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean);
      return JSON.parse(text) as unknown;
    default:
      return JSON.parse(text) as unknown;
  }
}

/** @returns the body of a call, without empty fields @throws SyntaxError for malformed JSON */
export function inputOf({ properties = {} }: InputSchema, texts: InputText): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const text = texts[name] ?? '';
      return text.trim() === '' ? [] : [[name, valueOf(text, property)] as const];
    }),
  );
}

/** @returns an example of the catalogue as texts for the form */
export function textsOf(example: unknown): InputText {
  if (typeof example !== 'object' || example === null) return {};
  const input =
    'input' in example && typeof example.input === 'object' && example.input ? example.input : example;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

interface SchemaFormProps {
  readonly schema: InputSchema;
  readonly texts: InputText;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (name: string, text: string) => void;
}

/** Renders a form for the schema of a service's input. */
export function SchemaFields({ schema, texts, problems, onChange }: SchemaFormProps) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const label = formatField(name);
    const isRequired = schema.required?.includes(name) ?? false;
    const type = typeOf(property);
    const value = texts[name] ?? '';
    const common = {
      label: isRequired ? label : `${label} (optional)`,
      hint: property.description,
      problem: problems[name],
    };
    if (property.enum)
      return (
        <SelectField
          key={name}
          label={common.label}
          hint={common.hint}
          value={value}
          onChange={({ target }) => onChange(name, target.value)}
        >
          <option value="">
            {property.default === undefined ? 'Not set' : `Default: ${String(property.default)}`}
          </option>
          <Options of={property.enum.map((each) => [String(each), String(each)])} />
        </SelectField>
      );
    if (type === 'boolean')
      return (
        <CheckField
          key={name}
          label={property.description ?? label}
          checked={value === 'true'}
          onChange={({ target }) => onChange(name, target.checked ? 'true' : '')}
        />
      );
    if (type === 'array' || type === 'object' || type === 'json')
      return (
        <Field
          key={name}
          {...common}
          hint={common.hint ?? (type === 'array' ? 'One per line, or JSON.' : 'JSON.')}
        >
          {(given) => (
            <textarea
              {...given}
              rows={3}
              value={value}
              onChange={({ target }) => onChange(name, target.value)}
            />
          )}
        </Field>
      );
    return (
      <TextField
        key={name}
        {...common}
        type={type === 'string' ? 'text' : 'number'}
        step="any"
        value={value}
        required={isRequired}
        onChange={({ target }) => onChange(name, target.value)}
      />
    );
  });
}
