import type { Service, Table } from '../api/resources';
import { guessInputs, inputProperties, type InputProperty } from './guess-inputs';

/** Source of one input of a service: a column, or a text that may contain columns in double braces. */
export type InputChoice = { readonly column: string } | { readonly own: string };
export type InputChoices = Readonly<Record<string, InputChoice>>;

/** @returns the most likely source of each input; a required input without a column has to be typed */
export function firstChoices(service: Service, table: Table): InputChoices {
  const guesses = guessInputs(service, table);
  const choices: Record<string, InputChoice> = {};
  for (const [name, { type, enum: values }] of inputProperties(service)) {
    const column = guesses[name];
    // Flags and enums may change the price, so they are never preselected.
    if (column !== undefined && type !== 'boolean' && !values) choices[name] = { column };
    else if (requiredInputs(service).includes(name)) choices[name] = { own: '' };
  }
  return choices;
}

/** @returns the inputs of a request; null while a text is empty or nothing is chosen */
export function inputsOf(service: Service, choices: InputChoices): Record<string, unknown> | null {
  const properties = new Map(inputProperties(service));
  const chosen = Object.entries(choices);
  const isEmpty = chosen.some(([, choice]) => 'own' in choice && choice.own.trim() === '');
  const isLacking = requiredInputs(service).some((name) => !(name in choices));
  if (chosen.length === 0 || isEmpty || isLacking) return null;
  return Object.fromEntries(
    chosen.map(([name, choice]) => [
      name,
      'column' in choice ? choice.column : { value: valueOf(choice.own.trim(), properties.get(name)) },
    ]),
  );
}

function requiredInputs({ input_schema: schema }: Service): readonly string[] {
  return (schema.required as string[] | undefined) ?? [];
}

function valueOf(text: string, { type }: InputProperty = {}): unknown {
  if (type === 'boolean') return text === 'true';
  if (type === 'integer' || type === 'number') return Number(text);
  if (type !== 'array') return text;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
