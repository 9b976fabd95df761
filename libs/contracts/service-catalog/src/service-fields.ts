import type { ColumnKind } from '@quarry/dto';
import type { z } from 'zod';
import { jsonSchemasOf, type AnyService } from './service-catalogue.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/** Input field of a service. */
export interface InputField {
  readonly name: string;
  readonly isRequired: boolean;
  /** JSON type of its values; null when there are several. */
  readonly type: string | null;
}

/** Cache of the JSON schemas: services are constants, so they are created once. */
const schemas = new Map<string, { input: Schema; output: Schema }>();

/** @returns the input fields of a service, in order */
export function inputFields(service: AnyService): InputField[] {
  const { properties = {}, required = [] } = schemasOf(service).input;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: required.includes(name),
    type: knownSchema(schema).type ?? null,
  }));
}

/** @returns the fault of a value for one input field of a service, as one sentence; null when it is valid */
export function fieldFault(service: AnyService, name: string, value: unknown): string | null {
  const shape = (service.input as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>;
  const read = shape[name]!.safeParse(value);
  return read.success ? null : read.error.issues.map(({ message }) => message).join('; ');
}

/**
 * Finds an output field of a service.
 * @param path field names separated by dots; a number is one item of a list (`items.0.url`), and a name after a list is
 *   that field of every item (`items.url`)
 * @returns the kind of a column for it; null when the output has no such field
 */
export function answerField(service: AnyService, path: string): { kind: ColumnKind } | null {
  const steps = path.split('.');
  let [schema, isEach]: [Schema, boolean] = [schemasOf(service).output, false];
  for (const step of steps) {
    const here = knownSchema(schema);
    if (isIndex(step) && here.type === 'array') {
      schema = here.items ?? {};
      continue;
    }
    if (here.type === 'array') isEach = true;
    const member = memberOf(here.type === 'array' ? knownSchema(here.items ?? {}) : here, step);
    if (member === null) return null;
    schema = member;
  }
  const kind = kindOf(knownSchema(schema), steps.at(-1)!);
  if (!isEach) return { kind };
  return { kind: kind === 'object' ? 'object' : 'list' };
}

/**
 * @param answer output of a service
 * @param path as in {@link answerField}
 * @returns the value; null when it is unknown, and for an empty text or list
 */
export function valueAt(answer: unknown, path: string): unknown {
  const value = stepInto(answer, path.split('.'));
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? null : value;
}

function stepInto(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || value === null || value === undefined) return value;
  if (Array.isArray(value)) {
    if (isIndex(step)) return stepInto(value[Number(step)], rest);
    return value
      .map((item: unknown) => stepInto(item, [step, ...rest]))
      .filter((found) => found !== null && found !== undefined);
  }
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return null;
  return stepInto((value as Readonly<Record<string, unknown>>)[step], rest);
}

function schemasOf(service: AnyService): { input: Schema; output: Schema } {
  const made = schemas.get(service.name) ?? jsonSchemasOf(service);
  schemas.set(service.name, made);
  return made;
}

/** Schema without null: a nullable schema is an alternative of both. */
type Known = Schema & { readonly type?: string };

function knownSchema(schema: Schema): Known {
  const { type, anyOf } = schema;
  const first = anyOf?.find((each) => each.type !== 'null');
  if (first) return knownSchema(first);
  return typeof type === 'object'
    ? { ...schema, type: type.find((each) => each !== 'null') ?? 'null' }
    : (schema as Known);
}

/** Returns the schema of a member. An open schema, such as that of extractData's `data`, may have any member. */
function memberOf({ type, properties, additionalProperties }: Known, name: string): Schema | null {
  if (type === undefined) return {};
  if (properties && Object.hasOwn(properties, name)) return properties[name]!;
  return typeof additionalProperties === 'object' ? additionalProperties : null;
}

const KINDS_BY_NAME: ReadonlyArray<readonly [RegExp, ColumnKind]> = [
  [/^email$/, 'email'],
  [/(^|_)domain$/, 'domain'],
  [/(^|_)linkedin_url$/, 'linkedin_url'],
  [/(^|_)(url|website)$/, 'url'],
  [/^(phone|phone_number|company_phone)$/, 'phone'],
];

function kindOf({ type, items }: Known, name: string): ColumnKind {
  if (type === 'array') {
    if (name === 'experiences' || name === 'educations') return name;
    return knownSchema(items ?? {}).type === 'string' ? 'list' : 'object';
  }
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type !== 'string') return 'object';
  return KINDS_BY_NAME.find(([names]) => names.test(name))?.[1] ?? 'text';
}

function isIndex(step: string): boolean {
  return /^\d{1,4}$/.test(step);
}
