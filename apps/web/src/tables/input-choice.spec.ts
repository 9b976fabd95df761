import { describe, expect, it } from '@jest/globals';
import type { Service, Table } from '../api/resources';
import { firstChoices, inputsOf } from './input-choice';

const SERVICE = {
  name: 'classifyText',
  input_schema: {
    properties: {
      text: { type: 'string' },
      labels: { type: 'array' },
      limit: { type: 'integer' },
      deep: { type: 'boolean' },
    },
    required: ['text', 'labels'],
  },
} as unknown as Service;
const TABLE = { columns: [{ key: 'text', name: 'Text', kind: 'text' }] } as unknown as Table;

describe('the inputs of a service column', () => {
  it('without a matching column must be typed if the service requires them', () => {
    expect(firstChoices(SERVICE, TABLE)).toEqual({ text: { column: 'text' }, labels: { own: '' } });
  });

  it('are column keys, or values of the type that the service accepts', () => {
    const choices = {
      text: { own: 'About {{name}}' },
      labels: { own: 'B2B, B2C,' },
      limit: { own: '5' },
      deep: { own: 'true' },
    };
    expect(inputsOf(SERVICE, choices)).toEqual({
      text: { value: 'About {{name}}' },
      labels: { value: ['B2B', 'B2C'] },
      limit: { value: 5 },
      deep: { value: true },
    });
  });

  it('are incomplete while a required one is missing or a text is empty', () => {
    expect(inputsOf(SERVICE, { text: { column: 'text' } })).toBeNull();
    expect(inputsOf(SERVICE, { text: { column: 'text' }, labels: { own: ' ' } })).toBeNull();
  });
});
