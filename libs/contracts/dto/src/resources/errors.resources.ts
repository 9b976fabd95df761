import { ERROR_CODES } from '@quarry/error-codes';
import { z } from 'zod';
import { defineResource } from './resource.js';

export const ErrorEnvelope = defineResource('ErrorEnvelope', {
  error: z.strictObject({
    code: z.enum(Object.keys(ERROR_CODES) as [string, ...string[]]).describe('Stable: branch on it.'),
    message: z.string().describe('For people; may change.'),
    details: z
      .array(
        z.strictObject({
          path: z
            .union([z.string(), z.array(z.string())])
            .describe('Path of the faulty field: a string on /v1 resources, an array on services.'),
          message: z.string(),
        }),
      )
      .optional(),
  }),
});

export const Health = defineResource('Health', {
  status: z.enum(['ok', 'ready']),
  missing: z
    .array(z.string())
    .optional()
    .describe(
      'Dependencies that cannot be reached; requests that need them are refused. Left out when there are none.',
    ),
});
