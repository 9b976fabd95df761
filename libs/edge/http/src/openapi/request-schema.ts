import type { JsonSchema } from '@quarry/dto';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';

type Declared = new () => object;
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Schema of a field, and whether it is required. */
export interface FieldSchema {
  schema: JsonSchema;
  required: boolean;
}

/** JSON Schema of each decorator in use, by its name in class-validator. */
const SCHEMA_BY_DECORATOR: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  isString: () => ({ type: 'string' }),
  isNotEmpty: () => ({ minLength: 1 }),
  maxLength: ([length]) => ({ maxLength: length }),
  matches: ([pattern]) => ({ type: 'string', pattern: (pattern as RegExp).source }),
  isUtcTime: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isUrl: () => ({ format: 'uri' }),
  min: ([least]) => ({ minimum: least }),
  max: ([most]) => ({ maximum: most }),
  isIn: ([values]) => ({ enum: [...(values as unknown[])] }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: ([least]) => ({ minItems: least }),
  arrayMaxSize: ([most]) => ({ maxItems: most }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/**
 * Reads the fields of a request class from its decorators.
 * @returns schema and requiredness by field name, in the order of declaration
 * @throws Error for an unknown decorator: the description would be incomplete
 */
export function fieldsOf(type: Declared): Map<string, FieldSchema> {
  const defaults = new type() as Record<string, unknown>;
  const fields = new Map<string, FieldSchema>();
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  for (const name of new Set(rules.map(({ propertyName }) => propertyName))) {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const fallback = defaults[name];
    fields.set(name, {
      schema: { ...schemaOf(type, name, own), ...(fallback === undefined ? {} : { default: fallback }) },
      required: fallback === undefined && !own.some((rule) => rule.type === 'conditionalValidation'),
    });
  }
  return fields;
}

/** @returns the schema of a body that a request class reads; unknown fields are refused */
export function bodySchemaOf(type: Declared): JsonSchema {
  const fields = [...fieldsOf(type)];
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function schemaOf(type: Declared, name: string, rules: readonly Rule[]): JsonSchema {
  const schema: JsonSchema = {};
  const items: JsonSchema = {};
  let isNullable = false;
  for (const rule of rules) {
    if (rule.type === 'conditionalValidation') {
      isNullable = isNullTaken(rule);
      continue;
    }
    const ofRule =
      rule.type === 'nestedValidation' ? nestedSchema(type, name) : schemaByDecorator(rule, type);
    Object.assign(rule.each ? items : schema, ofRule);
  }
  if (isNullable) schema['type'] = [schema['type'], 'null'];
  return Object.keys(items).length > 0 ? { ...schema, items } : schema;
}

/** Calls the condition with null: there is no other way to learn whether null skips the other rules. */
function isNullTaken({ constraints }: Rule): boolean {
  const [condition] = constraints as [(request: unknown, value: unknown) => boolean];
  return !condition({}, null);
}

function schemaByDecorator(rule: Rule, type: Declared): JsonSchema {
  const say = rule.name === undefined ? undefined : SCHEMA_BY_DECORATOR[rule.name];
  if (!say)
    throw new Error(
      `${type.name}.${rule.propertyName}: ${rule.name ?? rule.type} has no words in JSON Schema.`,
    );
  return say(rule.constraints ?? []);
}

/** class-transformer reveals the class of a nested value only by creating one. */
function nestedSchema(type: Declared, name: string): JsonSchema {
  const [made] = (plainToInstance(type, { [name]: [{}] }) as Record<string, object[]>)[name]!;
  if (made!.constructor === Object)
    throw new Error(`${type.name}.${name} names no class for what is nested in it.`);
  return bodySchemaOf(made!.constructor as Declared);
}
