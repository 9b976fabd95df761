import type { Api } from '@quarry/sdk';
import { textOf } from './screen.js';

interface Schema {
  type?: string | readonly string[];
  items?: Schema;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

/** Describes a service: its purpose, price, inputs, outputs, and an example call. */
export function describeService(service: Api.Service): string {
  const { name, title, description, charge_rule: price, unavailable_reason: missing } = service;
  const input: Schema = service.input_schema;
  const output: Schema = service.output_schema;
  const inputs = Object.entries(input.properties ?? {}).map(([key, schema]) => [
    input.required?.includes(key) ? `${key}*` : key,
    typeOf(schema),
    schema.description ?? '',
  ]);
  const widths = [0, 1].map((at) => Math.max(0, ...inputs.map((cells) => cells[at]!.length)));
  return [
    `${name}: ${title}`,
    description,
    price,
    ...(missing === null || missing === undefined ? [] : [`Not available: ${missing}`]),
    '',
    `Input${input.required?.length ? ' (* required)' : ''}:`,
    ...inputs.map((cells) =>
      `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
    ),
    '',
    `Answer: ${Object.keys(output.properties ?? {}).join(', ')}`,
    '',
    'Example:',
    `  $ ${exampleOf(service)}`,
    '',
  ].join('\n');
}

/** Returns whether an input accepts only texts. */
export function takesText(schema: Schema, key: string): boolean {
  const input = schema.properties?.[key];
  return input !== undefined && typeOf(input) === 'text';
}

function typeOf({ type, items, enum: options, anyOf }: Schema): string {
  if (options) return options.map(textOf).join(' or ');
  if (anyOf)
    return anyOf
      .map(typeOf)
      .filter((each) => each !== 'null')
      .join(' or ');
  const name = [type ?? 'any'].flat().find((each) => each !== 'null') ?? 'null';
  if (name === 'array') return `list of ${items ? typeOf(items) : 'any'}`;
  return name === 'string' ? 'text' : name;
}

function exampleOf({ name, mode, examples: [example] }: Api.Service): string {
  if (mode === 'slow') return `quarry list ${name} FILE.csv -o answers.csv`;
  const pairs = Object.entries((example ?? {}) as Record<string, unknown>).map(([key, value]) =>
    quoted(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
  return ['quarry call', name, ...pairs].join(' ');
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w=.,:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
