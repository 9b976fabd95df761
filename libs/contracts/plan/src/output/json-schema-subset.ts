/** Fault with its path as steps. */
interface SchemaFault {
  readonly path: string[];
  readonly message: string;
}

// Source: docs/contract.md#3-runs (types, keywords, depth).
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const DEPTH_MAX = 8;
// `$schema`, `title`, `default` and `examples` do not affect validation, so a schema exported by a tool may contain them.
const KEYWORDS = [
  'type',
  'properties',
  'items',
  'enum',
  'const',
  'format',
  'required',
  'description',
  'additionalProperties',
];
const ANNOTATIONS = ['$schema', 'title', 'default', 'examples'];

/** @returns every position where a schema leaves the subset that an output contract may use. */
export function schemaFaults(schema: unknown, path: string[] = [], depth = 1): SchemaFault[] {
  if (depth > DEPTH_MAX) return [{ path, message: `must be at most ${DEPTH_MAX} levels deep` }];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return [{ path, message: 'must be a schema object' }];
  const {
    type,
    properties,
    items,
    required,
    additionalProperties,
    enum: options,
    format,
  } = schema as Record<string, unknown>;
  const faults: SchemaFault[] = Object.keys(schema)
    .filter((key) => !KEYWORDS.includes(key) && !ANNOTATIONS.includes(key))
    .map((key) => ({ path: [...path, key], message: 'is not a supported schema keyword' }));
  const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
  if (types.some((each) => !TYPES.includes(each as string)) || (Array.isArray(type) && type.length === 0)) {
    faults.push({ path: [...path, 'type'], message: `must be one of ${TYPES.join(', ')}` });
  }
  if (options !== undefined && (!Array.isArray(options) || options.length === 0))
    faults.push({ path: [...path, 'enum'], message: 'must be a non-empty array' });
  if (format !== undefined && typeof format !== 'string')
    faults.push({ path: [...path, 'format'], message: 'must be a string' });
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((each) => typeof each === 'string'))
  ) {
    faults.push({ path: [...path, 'required'], message: 'must be an array of property names' });
  }
  if (properties !== undefined) faults.push(...propertyFaults(properties, [...path, 'properties'], depth));
  if (items !== undefined) faults.push(...schemaFaults(items, [...path, 'items'], depth + 1));
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    faults.push(...schemaFaults(additionalProperties, [...path, 'additionalProperties'], depth + 1));
  }
  return faults;
}

function propertyFaults(properties: unknown, path: string[], depth: number): SchemaFault[] {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return [{ path, message: 'must be an object of schemas' }];
  return Object.entries(properties).flatMap(([key, schema]) =>
    schemaFaults(schema, [...path, key], depth + 1),
  );
}

/** @returns the fault of a whole output that no prompt can fill: an enum, a boolean or null */
export function outputFaults(schema: Readonly<Record<string, unknown>>): SchemaFault[] {
  if ('const' in schema) return [];
  if (schema.enum !== undefined)
    return [{ path: ['enum'], message: 'is not supported for the whole output: nothing can fill it' }];
  const isUnfilled = [schema.type].flat().every((type) => type === 'boolean' || type === 'null');
  const message = 'must be object, array, string, number or integer for the whole output';
  return isUnfilled ? [{ path: ['type'], message }] : [];
}
