import { z } from 'zod';
import type { AnyTool, ToolEffects } from './tool.js';

/** Tools of a server, with data that is the same for every call. */
export class ToolSet {
  private readonly byName: ReadonlyMap<string, AnyTool>;
  /** Response to tools/list: the same for every key. */
  readonly list: { tools: Array<ListedTool> };

  /** @throws Error when two tools have the same name, or a spending tool lacks the arguments that limit it */
  constructor(readonly tools: readonly AnyTool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.byName.size !== tools.length) throw new Error('Two tools have the same name.');
    for (const { name, spend, charge, input } of tools)
      if (spend && charge !== 'free' && !('max_credits' in input.shape && 'idempotency_key' in input.shape))
        throw new Error(`${name} spends and takes no max_credits or idempotency_key.`);
    this.list = { tools: tools.map(toListedTool) };
  }

  findTool(name: string): AnyTool | null {
    return this.byName.get(name) ?? null;
  }
}

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema?: { type: 'object'; [keyword: string]: unknown };
  annotations: Partial<ToolEffects>;
}

function toListedTool({ name, title, description, input, output, effects }: AnyTool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input, 'input'),
    ...(output ? { outputSchema: schemaOf(output, 'output') } : {}),
    annotations: hintsOf(effects),
  };
}

/**
 * Returns the hints of a tool; for a read-only tool, hints about changes have no meaning. Source: the protocol,
 * ToolAnnotations.
 */
function hintsOf(effects: ToolEffects): Partial<ToolEffects> {
  const { readOnlyHint, openWorldHint } = effects;
  return readOnlyHint ? { readOnlyHint, openWorldHint } : { ...effects };
}

/** Returns JSON Schema 2020-12, the protocol's default dialect. */
function schemaOf(type: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { io, override: withoutNoise });
  return withoutTypeLists(schema) as ListedTool['inputSchema'];
}

/**
 * Simplifies a schema. An empty schema is equivalent to true, and some clients report it as an error. That field names are
 * strings, that a text is not empty, and that a number is a safe integer, is self-evident: every model reads every word of
 * this on every connection.
 */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { additionalProperties: any } = jsonSchema;
  if (typeof any === 'object' && Object.keys(any).length === 0) jsonSchema.additionalProperties = true;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
  delete jsonSchema.propertyNames;
}

/** Returns a schema with alternatives instead of type lists, which some clients do not support. */
function withoutTypeLists(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTypeLists);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, ...rest } = schema as Record<string, unknown>;
  const fields = Object.entries(Array.isArray(type) ? rest : schema);
  return {
    ...Object.fromEntries(fields.map(([name, value]) => [name, withoutTypeLists(value)])),
    ...(Array.isArray(type) ? { anyOf: type.map((each: unknown) => ({ type: each })) } : {}),
  };
}
