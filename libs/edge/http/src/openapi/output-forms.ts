import { COLUMN_KINDS, QUALIFICATION_EFFECTS, type JsonSchema } from '@quarry/dto';

/** The forms of an output contract, as libs/contracts/plan parses them. */
export const OUTPUT_FORMS: Record<string, JsonSchema> = {
  OutputTables: {
    type: 'object',
    description: 'Tables with these columns, published under their keys.',
    properties: {
      tables: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: {
          type: 'object',
          properties: {
            key: { type: 'string', minLength: 1, maxLength: 64 },
            name: { type: 'string', minLength: 1 },
            entity: { type: 'string', enum: ['company', 'person'] },
            max_rows: { type: 'integer', minimum: 1, maximum: 100_000 },
            columns: {
              type: 'array',
              minItems: 1,
              maxItems: 200,
              items: {
                type: 'object',
                properties: {
                  key: { type: 'string', minLength: 1, maxLength: 64 },
                  name: { type: 'string', minLength: 1 },
                  kind: { type: 'string', enum: COLUMN_KINDS },
                  required: {
                    type: 'boolean',
                    description:
                      'Rows without a value are left out. Rows for which a lookup finds none are disqualified.',
                  },
                  qualification: {
                    type: 'object',
                    properties: {
                      criterion: { type: 'string', minLength: 1 },
                      effect: { type: 'string', enum: QUALIFICATION_EFFECTS },
                    },
                    additionalProperties: false,
                  },
                },
                required: ['key'],
                additionalProperties: false,
              },
            },
          },
          required: ['key', 'columns'],
          additionalProperties: false,
        },
      },
    },
    required: ['tables'],
    additionalProperties: false,
  },
  OutputSchema: {
    type: 'object',
    description: 'A JSON Schema for the output, as Zod or Pydantic prints it (a subset of the standard).',
    properties: { schema: { type: 'object' } },
    required: ['schema'],
    additionalProperties: false,
  },
};
