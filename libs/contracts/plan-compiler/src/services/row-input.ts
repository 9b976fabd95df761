import { inputFaults, inputFields, type AnyService, type InputField } from '@quarry/service-catalog';
import { namesOfPerson, type Subject } from './row-subject.js';
import type { ServiceCall } from './service-calls.js';
import { inputValue, keysOfInputs, textOf } from './service-inputs.js';

/** Input of a service for one row, or the reason why it has none. */
export type RowInput =
  | { input: Record<string, unknown>; missing: null }
  | { input: null; missing: { code: string; message: string } };

/**
 * Builds the input of a call for one row.
 * @param valueOf returns the row's value by the key of an attribute or column; null when there is none
 * @param subject the person of the row, for a call that names no inputs
 */
export function rowInput(
  { service, inputs }: ServiceCall,
  valueOf: (key: string) => unknown,
  subject: Subject | null,
): RowInput {
  if (inputs === undefined)
    return subject
      ? checkedInput(service, { ...subject })
      : missingInput('The row does not identify a person or company.');
  const fields = new Map(inputFields(service).map((field) => [field.name, field]));
  const input: Record<string, unknown> = {};
  const without: Array<{ name: string; key: string }> = [];
  for (const [name, given] of Object.entries(inputs)) {
    const found = inputValue(given, valueOf);
    if (found === 'too long') return invalidInput(`${name} is too long with the values of the row in it.`);
    if (found.missing === null) input[name] = shapeValue(found.value, fields.get(name));
    else without.push({ name, key: found.missing });
  }
  // A column that is named for both parts holds the full name.
  if (typeof inputs.first_name === 'string' && inputs.first_name === inputs.last_name) {
    const { first_name: first, last_name: last } = namesOfPerson(input.first_name);
    Object.assign(input, { first_name: first, last_name: last });
  }
  const needed = without.find(({ name }) => fields.get(name)?.isRequired);
  // Constants alone do not identify a row whose own values are all missing.
  const readsNothing =
    without.length > 0 && keysOfInputs(inputs).every((key) => without.some((each) => each.key === key));
  const first = needed ?? (readsNothing ? without[0] : undefined);
  return first
    ? missingInput(`The row has nothing in ${JSON.stringify(first.key)}.`)
    : checkedInput(service, input);
}

function checkedInput(service: AnyService, input: Record<string, unknown>): RowInput {
  const [fault] = inputFaults(service, input);
  if (fault) return invalidInput(fault.message);
  const thin = service.mode === 'slow' ? service.tooThin(input) : null;
  return thin === null ? { input, missing: null } : missingInput(thin);
}

function invalidInput(message: string): RowInput {
  return { input: null, missing: { code: 'validation_error', message } };
}

function missingInput(message: string): RowInput {
  return { input: null, missing: { code: 'missing_input', message } };
}

/** Converts a cell's value to the form that the service accepts. */
function shapeValue(value: unknown, field: InputField | undefined): unknown {
  if (field?.type === 'string') return textOf(value);
  if (field?.type === 'array' && typeof value === 'string') return [value.trim()];
  const isNumber = field?.type === 'integer' || field?.type === 'number';
  return isNumber && typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}
