import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OutputSchema } from '@quarry/dto';

export function repairValue(schema: OutputSchema, value: unknown): unknown {
  if (Array.isArray(value) && schema.items)
    return value.filter((item) => schemaFault(schema.items!, item) === null);
  if (typeof value !== 'object' || value === null) return value;
  const required = schema.required ?? [];
  const entries = Object.entries(value).map(
    ([key, item]) => [key, repairValue(schema.properties?.[key] ?? {}, item)] as const,
  );
  return Object.fromEntries(
    entries.filter(
      ([key, item]) => required.includes(key) || schemaFault(schema.properties?.[key] ?? {}, item) === null,
    ),
  );
}

/** @returns why a value does not meet a schema; null when it does */
export function schemaFault(schema: OutputSchema, value: unknown): string | null {
  const validate = validatorOf(schema);
  if (validate(value)) return null;
  const [fault] = validate.errors ?? [];
  return `${fault?.instancePath || 'the value'} ${fault?.message ?? 'is not valid'}`;
}

export function validatorOf(schema: OutputSchema) {
  // A new instance for each schema: schemas come from customers, and a shared cache would grow without limit.
  // It has been read already, more leniently: an unusual annotation must not fail a run at its end.
  // Code that ends at the first error is nested as deeply as there are properties, too deeply for the stack.
  const options = { allErrors: true, loopEnum: 20, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, ...options });
  addFormats.default(ajv);
  return ajv.compile(schema);
}
