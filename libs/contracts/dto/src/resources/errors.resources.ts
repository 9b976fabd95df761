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
            .describe('The faulty place: text on /v1 resources, steps on services.'),
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
    .describe('Parts that cannot be reached now; what needs them is refused. Left out when there is none.'),
});
