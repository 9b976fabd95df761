/** Fault of a schema, with its path as steps. */
export interface JsonSchemaFault {
  readonly path: string[];
  readonly message: string;
}

export type JsonSchemaNode = Record<string, unknown>;

/** Limits of a schema for numbers and texts, in characters. */
export interface ValueLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

// Source: docs/contract.md#3-runs (types, keywords, depth).
const SINGLE_TYPES = ['string', 'number', 'integer', 'boolean'];
const TYPES = ['object', 'array', ...SINGLE_TYPES, 'null'];
const DEPTH_MAX = 8;
/** Maximum number of references and unions around a schema, which are no levels: the reader calls itself for each. */
const NESTED_MAX = 50;
/** Maximum number of schemas, and of characters in references, written out: references to references multiply. */
const SCHEMAS_MAX = 5_000;
const WRITTEN_MAX = 500_000;
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const KEYWORDS = [
  'type',
  'properties',
  'items',
  'enum',
  'const',
  'format',
  'required',
  'additionalProperties',
  'multipleOf',
  'uniqueItems',
  ...NUMBERS,
  ...COUNTS,
];
const UNIONS = ['anyOf', 'oneOf', 'allOf'];
/** Keywords that do not affect validation: a schema that a tool has printed contains them. */
const ANNOTATIONS = ['description', 'title', 'default', 'examples'];
/** The dialect that a schema names is not kept: all schemas are read alike. */
const DIALECT = '$schema';
/** Where a schema defines what it refers to. */
const DEFINITIONS = ['$defs', 'definitions'];

/**
 * Reads a JSON Schema in the subset that outputs may have, as Zod and Pydantic print it: references to `$defs` and unions
 * with null are written out.
 * @returns the schema in keywords that apply to it directly, and each position where it leaves the subset
 */
export function readJsonSchema(schema: unknown): { schema: JsonSchemaNode; faults: JsonSchemaFault[] } {
  const root = isObject(schema) ? { ...schema } : {};
  const reader = new SchemaReader(root);
  for (const name of DEFINITIONS) delete root[name];
  const read = reader.readSchema(isObject(schema) ? root : schema, [], 1);
  return { schema: read, faults: [...reader.faults.values()] };
}

/** Reads the schema of an object with properties, as Go and extractData fill it. @returns as {@link readJsonSchema} */
export function readObjectSchema(sent: unknown): ReturnType<typeof readJsonSchema> {
  const { schema, faults } = readJsonSchema(sent);
  const { type = 'object', properties } = schema;
  const isFilled = [type].flat().includes('object') && Object.keys(properties ?? {}).length > 0;
  if (faults.length === 0 && !isFilled)
    faults.push({ path: [], message: 'must have the type object and properties' });
  return { schema, faults };
}

/**
 * @param value a number or a text
 * @returns whether it is within the limits; values of other types are
 */
export function isWithinLimits(value: unknown, limits: ValueLimits): boolean {
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = limits;
    const length = [...value].length;
    return length >= minLength && length <= maxLength;
  }
  if (typeof value !== 'number') return true;
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  return (
    value >= minimum &&
    value <= maximum &&
    !(value <= (exclusiveMinimum ?? -Infinity)) &&
    !(value >= (exclusiveMaximum ?? Infinity)) &&
    (multipleOf === undefined || Number.isInteger(value / multipleOf))
  );
}

class SchemaReader {
  /** By path: a schema that is referred to twice has its faults once. */
  readonly faults = new Map<string, JsonSchemaFault>();
  private readonly definitions = new Map<string, { path: string[]; schema: unknown; size: number }>();
  private schemas = 0;
  private written = 0;

  constructor(root: JsonSchemaNode) {
    for (const keyword of DEFINITIONS)
      for (const [name, schema] of isObject(root[keyword]) ? Object.entries(root[keyword]) : [])
        this.definitions.set(`#/${keyword}/${name}`, {
          path: [keyword, name],
          schema,
          size: JSON.stringify(schema).length,
        });
  }

  /** @param open the references and unions around this schema: no reference may lead to itself */
  readSchema(schema: unknown, path: string[], depth: number, open: readonly string[] = []): JsonSchemaNode {
    this.schemas += 1;
    if (this.schemas > SCHEMAS_MAX)
      return this.refuse([], `must be at most ${SCHEMAS_MAX} schemas with its references written out`);
    if (open.length > NESTED_MAX)
      return this.refuse(path, `must be at most ${NESTED_MAX} references and unions within each other`);
    if (depth > DEPTH_MAX) return this.refuse(path, `must be at most ${DEPTH_MAX} levels deep`);
    if (!isObject(schema)) return this.refuse(path, 'must be a schema object');
    const reference = ['$ref', ...UNIONS].find((keyword) => keyword in schema);
    const known = [DIALECT, ...ANNOTATIONS, ...(reference === undefined ? KEYWORDS : [reference])];
    for (const key of Object.keys(schema))
      if (!known.includes(key) && !(key === 'pattern' && 'format' in schema))
        this.refuse([...path, key], `is not a supported schema keyword${placeOf(key, reference)}`);
    if (reference === undefined) return this.readKeywords(schema, path, depth, open);
    const meant =
      reference === '$ref'
        ? this.readReference(schema.$ref, [...path, '$ref'], depth, open)
        : this.readUnion(schema[reference], [...path, reference], depth, open);
    return { ...meant, ...pickKeys(schema, ANNOTATIONS) };
  }

  private readReference(
    target: unknown,
    path: string[],
    depth: number,
    open: readonly string[],
  ): JsonSchemaNode {
    const name = typeof target === 'string' ? target.replaceAll('~1', '/').replaceAll('~0', '~') : '';
    const found = this.definitions.get(name);
    if (!found) return this.refuse(path, 'must name an entry of $defs, as in #/$defs/Company');
    if (open.includes(name)) return this.refuse(path, 'must not lead back to itself');
    this.written += found.size;
    if (this.written > WRITTEN_MAX)
      return this.refuse([], `must be at most ${WRITTEN_MAX} characters with its references written out`);
    return this.readSchema(found.schema, found.path, depth, [...open, name]);
  }

  private readUnion(
    options: unknown,
    path: string[],
    depth: number,
    open: readonly string[],
  ): JsonSchemaNode {
    if (!Array.isArray(options) || options.length === 0)
      return this.refuse(path, 'must be a non-empty array of schemas');
    const read = options.map((each, n) => this.readSchema(each, [...path, String(n)], depth, [...open, '']));
    const others = read.filter(({ type }) => type !== 'null');
    const isNullable = others.length < read.length;
    if (others.length > 1 && path.at(-1) === 'allOf') return this.refuse(path, 'is supported for one schema');
    const meant = others.length > 1 ? unitedSchema(others) : (others[0] ?? { type: 'null' });
    if (!meant)
      return this.refuse(
        path,
        'is supported for a schema and null, for constants, and for single values of different types',
      );
    return isNullable ? nullable(meant) : meant;
  }

  private readKeywords(
    schema: JsonSchemaNode,
    path: string[],
    depth: number,
    open: readonly string[],
  ): JsonSchemaNode {
    this.checkKeywords(schema, path);
    const { properties, items, additionalProperties: others } = schema;
    const below = (each: unknown, ...steps: string[]): JsonSchemaNode =>
      this.readSchema(each, [...path, ...steps], depth + 1, open);
    const read: JsonSchemaNode = pickKeys(schema, [...KEYWORDS, ...ANNOTATIONS]);
    if (properties !== undefined && !isObject(properties))
      this.refuse([...path, 'properties'], 'must be an object of schemas');
    if (isObject(properties))
      read.properties = Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [key, below(each, 'properties', key)]),
      );
    if (items !== undefined) read.items = below(items, 'items');
    if (others !== undefined && typeof others !== 'boolean')
      read.additionalProperties = below(others, 'additionalProperties');
    return read;
  }

  private checkKeywords(schema: JsonSchemaNode, path: string[]): void {
    const rules: Array<[keywords: string[], isValid: (value: unknown) => boolean, message: string]> = [
      [['type'], isType, `must be one of ${TYPES.join(', ')}`],
      [['enum'], (value) => Array.isArray(value) && value.length > 0, 'must be a non-empty array'],
      [['format'], (value) => typeof value === 'string', 'must be a string'],
      [['required'], isTexts, 'must be an array of property names'],
      [NUMBERS, Number.isFinite, 'must be a number'],
      [['multipleOf'], (value) => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'],
      [COUNTS, (value) => Number.isInteger(value) && (value as number) >= 0, 'must be a whole number from 0'],
      [['uniqueItems'], (value) => typeof value === 'boolean', 'must be true or false'],
    ];
    for (const [keywords, isValid, message] of rules)
      for (const keyword of keywords)
        if (schema[keyword] !== undefined && !isValid(schema[keyword]))
          this.refuse([...path, keyword], message);
  }

  /** Notes a fault. @returns a schema in place of the faulty one */
  private refuse(path: string[], message: string): JsonSchemaNode {
    const place = JSON.stringify(path);
    if (!this.faults.has(place)) this.faults.set(place, { path, message });
    return {};
  }
}

function placeOf(key: string, reference: string | undefined): string {
  if (key === 'pattern' && reference === undefined) return ' without format';
  return reference !== undefined && KEYWORDS.includes(key) ? ` beside ${reference}` : '';
}

/** @returns one schema for constants, or for single values of different types; null for others */
function unitedSchema(schemas: readonly JsonSchemaNode[]): JsonSchemaNode | null {
  const types = schemas.flatMap(({ type }) => type ?? []);
  const constants = schemas.flatMap(({ const: constant, enum: options }) => options ?? [constant]);
  const isConstant = (each: JsonSchemaNode): boolean => 'const' in each || each.enum !== undefined;
  if (schemas.every(isConstant))
    return { ...(schemas.every(({ type }) => type) && { type: [...new Set(types)] }), enum: constants };
  const isSingle = schemas.every((each) => SINGLE_TYPES.includes(each.type as string) && !isConstant(each));
  const kinds = new Set(types.map((type) => (type === 'integer' ? 'number' : type)));
  // Keywords of texts say nothing about numbers, so that they can stand in one schema.
  return isSingle && kinds.size === schemas.length
    ? (Object.assign({}, ...schemas, { type: types }) as JsonSchemaNode)
    : null;
}

function nullable(schema: JsonSchemaNode): JsonSchemaNode {
  const { const: constant, ...rest } = schema;
  if (rest.type !== undefined) rest.type = [...new Set([rest.type, 'null'].flat())];
  if (Array.isArray(rest.enum)) rest.enum = [...new Set([...(rest.enum as unknown[]), null])];
  return 'const' in schema ? { ...rest, enum: [constant, null] } : rest;
}

function isType(type: unknown): boolean {
  const types = [type].flat();
  return types.length > 0 && types.every((each) => TYPES.includes(each as string));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function pickKeys(schema: JsonSchemaNode, keys: readonly string[]): JsonSchemaNode {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}

function isObject(value: unknown): value is JsonSchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
