import type { JsonSchema } from '@quarry/dto';

/** Pattern of times, the same as `Timestamp` of the resources. */
const TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/**
 * Normalises schemas for generators and strict validators: removes keywords that are not JSON Schema and bounds without effect,
 * writes nullable types as `type: [x, "null"]`, adds types beside enums, and states for every object whether it allows additional
 * properties.
 */
export function plainSchemas<T>(value: T): T {
  if (Array.isArray(value)) return value.map((each) => plainSchemas(each) as unknown) as T;
  if (value === null || typeof value !== 'object') return value;
  const plain = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'example' || key === 'examples' ? each : plainSchemas(each),
    ]),
  ) as JsonSchema;
  // A keyword of zod; the pattern beside it means the same.
  if (plain.format === 'starts_with') delete plain.format;
  if (plain.pattern === TIME) plain.format = 'date-time';
  if (plain.maximum === Number.MAX_SAFE_INTEGER) delete plain.maximum;
  if (plain.minimum === Number.MIN_SAFE_INTEGER) delete plain.minimum;
  if (
    plain.type === undefined &&
    Array.isArray(plain.enum) &&
    plain.enum.every((each) => typeof each === 'string')
  )
    plain.type = 'string';
  if (plain.type === 'object' && !('additionalProperties' in plain)) plain.additionalProperties = true;
  return orNull(plain) as T;
}

/** Writes a choice between one plain type and null as one type. */
function orNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema as { anyOf?: JsonSchema[] };
  if (anyOf?.length !== 2 || anyOf[1]!.type !== 'null' || typeof anyOf[0]!.type !== 'string') return schema;
  const [own] = anyOf as [JsonSchema & { enum?: unknown[] }];
  return { ...own, ...rest, type: [own.type, 'null'], ...(own.enum ? { enum: [...own.enum, null] } : {}) };
}
