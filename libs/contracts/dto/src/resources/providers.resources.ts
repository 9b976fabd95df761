import { z } from 'zod';
import { defineResource } from './resource.js';

/** Vendor with the organisation's settings. */
export const ProviderItem = defineResource('Provider', {
  id: z.string(),
  title: z.string(),
  services: z.array(z.string()).describe('Names of the services that the provider answers.'),
  configured: z
    .enum(['operator', 'organisation'])
    .nullable()
    .describe('Whose key is used; null when nobody has one. Test keys use only the sandbox.'),
  enabled: z.boolean().describe('False when the organisation or the operator has switched it off.'),
  key_hint: z
    .string()
    .max(4)
    .nullable()
    .describe(
      'The last four characters of your own key, which is never shown; null for a key of fewer than 16 characters.',
    ),
  key_checked: z
    .boolean()
    .optional()
    .describe(
      'Only in the answer that stores a key: true when the vendor has accepted it, false when the vendor has no free check or did not answer.',
    ),
});
export const ProviderList = defineResource('ProviderList', { items: z.array(ProviderItem) });
