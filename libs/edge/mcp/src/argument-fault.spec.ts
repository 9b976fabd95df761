import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { argumentFault } from './argument-fault.js';

const INPUT = z.strictObject({
  service: z.string().max(5),
  inputs: z.array(z.record(z.string(), z.unknown())).min(1),
  format: z.enum(['csv', 'json']),
  limit: z.number().int().min(1).max(200),
  is_dry: z.boolean(),
});

function faultsOf(args: unknown): string[] {
  const { error } = INPUT.safeParse(args);
  return (error?.issues ?? []).map((issue) => argumentFault(issue, issue.path.join('.')));
}

describe('the error for an invalid tool argument', () => {
  it('names a missing one', () => {
    expect(faultsOf({})).toEqual(
      expect.arrayContaining(['service is required', 'inputs is required', 'limit is required']),
    );
    expect(faultsOf([])).toEqual(['The arguments must be an object']);
  });

  it('states the expected type', () => {
    expect(faultsOf({ service: 3, inputs: ['a'], format: 'xlsx', limit: 1.5, is_dry: 'yes' })).toEqual([
      'service must be a string',
      'inputs.0 must be an object',
      'format must be one of csv, json',
      'limit must be a whole number',
      'is_dry must be true or false',
    ]);
  });

  it('states its limits', () => {
    expect(faultsOf({ service: 'getEmail', inputs: [], format: 'csv', limit: 5000, is_dry: true })).toEqual([
      'service must have at most 5 characters',
      'inputs must have at least 1 item',
      'limit must be at most 200',
    ]);
  });
});
