/** JSON Schema of an output or a part of it, with the keywords that its values are built by. */
export type OutputSchema = Record<string, unknown> & {
  properties?: Record<string, OutputSchema>;
  items?: OutputSchema;
  required?: string[];
  maxItems?: number;
  uniqueItems?: boolean;
};

/** Returns whether a schema is an object whose properties it names; it may omit the type. */
export function isOfProperties(schema: OutputSchema): boolean {
  const types = typesOfSchema(schema);
  return (types.includes('object') || types.length === 0) && Object.keys(schema.properties ?? {}).length > 0;
}

export function typesOfSchema(schema: OutputSchema): string[] {
  return [schema.type].flat().filter((type) => typeof type === 'string');
}

export function allowsNull(schema: OutputSchema | undefined): boolean {
  return (
    schema !== undefined && (typesOfSchema(schema).includes('null') || typesOfSchema(schema).length === 0)
  );
}
