import type { JsonSchema } from '../language-model.port.js';

const fragments = { type: 'array', items: { type: 'string' }, minItems: 1 };
const from = { enum: ['prompt', 'earlier'] };
const one = (value: JsonSchema): JsonSchema => ({
  anyOf: [
    { type: 'null' },
    {
      type: 'object',
      properties: { ...value, fragments, from },
      required: [...Object.keys(value), 'fragments'],
    },
  ],
});
/** Directory filter or test of a column: the intent's own schema validates which fields may occur together. */
const filter = {
  type: 'object',
  properties: {
    of: { enum: ['company', 'person'] },
    filter: { type: 'string' },
    column: { type: 'string' },
    op: { type: 'string' },
    value: {},
    is_not: { type: 'boolean' },
    either: { type: 'array', items: { type: 'object' } },
    fragments,
    from,
  },
  required: ['fragments'],
};
const filters = { type: 'array', items: filter };
const exclusions = { type: 'array', items: { ...filters, minItems: 1 } };

const table = {
  type: 'object',
  properties: {
    source: {
      type: 'object',
      properties: {
        kind: { enum: ['directory', 'table', 'web', 'nothing'] },
        table_id: { type: 'string' },
        wanted: { type: 'string' },
        fragments,
        reason: { enum: ['no_rows_described', 'unknown_table'] },
      },
      required: ['kind'],
    },
    entity: { enum: ['company', 'person'] },
    continues: { type: 'boolean' },
    filters,
    exclusions,
    count: one({ value: { type: 'integer' } }),
    per_company: one({ value: { type: 'integer' } }),
    order: one({ by: { type: 'string' }, direction: { enum: ['ascending', 'descending'] } }),
    columns: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          source: { type: 'object' },
          key: { type: 'string' },
          required: { type: 'boolean' },
          fragments,
          from,
        },
        required: ['source', 'required', 'fragments'],
      },
    },
    hidden: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'string' }, fragments, from },
        required: ['key', 'fragments'],
      },
    },
    criteria: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          effect: { type: 'string' },
          column: { type: ['string', 'null'] },
          conditions: {
            anyOf: [
              { type: 'null' },
              { type: 'object', properties: { filters, exclusions }, required: ['filters', 'exclusions'] },
            ],
          },
          fragments,
          from,
        },
        required: ['effect', 'column', 'conditions', 'fragments'],
      },
    },
    name: one({ value: { type: 'string' } }),
    not_understood: { type: 'array', items: { type: 'string' } },
  },
  required: ['source', 'entity', 'filters', 'exclusions', 'not_understood'],
  additionalProperties: false,
};

/**
 * Schema of a model's response: the intent without fields that follow from the request. It is far smaller than the intent's
 * own schema, which lists every value of the vocabulary for each filter (about 250,000 characters); that one validates the
 * response.
 */
export const PLAN_ANSWER = {
  name: 'plan',
  schema: {
    type: 'object',
    properties: { tables: { type: 'array', items: table, minItems: 1 } },
    required: ['tables'],
    additionalProperties: false,
  },
} as const satisfies { name: string; schema: JsonSchema };
