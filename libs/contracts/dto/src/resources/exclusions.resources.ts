import { z } from 'zod';
import { Count, offsetPage, defineResource, Timestamp } from './resource.js';

export const ExclusionEntry = defineResource('ExclusionEntry', {
  domain: z.string().nullable(),
  linkedin_url: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const ExclusionPage = offsetPage('ExclusionPage', ExclusionEntry);

const rejected = z
  .array(z.strictObject({ index: Count, message: z.string() }))
  .describe('Entries that cannot be used, by their index in the request.');

export const ExclusionsAdded = defineResource('ExclusionsAdded', {
  created: Count,
  updated: Count,
  unchanged: Count,
  rejected,
});
export const ExclusionsDeleted = defineResource('ExclusionsDeleted', { deleted: Count, not_found: Count });
export const ExclusionsSynchronised = defineResource('ExclusionsSynchronised', {
  created: Count,
  deleted: Count,
  unchanged: Count,
  rejected,
});

export const ErasureReceipt = defineResource('ErasureReceipt', {
  receipt_id: z.string(),
  erased: z.record(z.string(), Count).describe('Counts of what was erased, by kind.'),
  message: z.string().describe('Whether anything was erased, and what is left to do.'),
});
