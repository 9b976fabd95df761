import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../language-model.port.js';

// Schemas are constants that are used for many requests.
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** @returns the first position where a value violates a schema, with the reason; null when it is valid */
export function schemaFault(schema: JsonSchema, value: unknown): string | null {
  const validate =
    compiled.get(schema) ??
    new Ajv2020({ strict: false, allErrors: false, validateFormats: false, logger: false }).compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return null;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath || 'the object'} ${first?.message ?? 'does not meet the schema'}`;
}
