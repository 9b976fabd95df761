import { AppError, type ErrorCode } from '@quarry/error-codes';
import { isId, type IdPrefix } from './ids.js';

/** Code and message of the 404 of each resource. Source: error table of the contract. */
const MISSING = {
  ws: ['workspace_not_found', 'Workspace not found.'],
  run: ['run_not_found', 'Run not found.'],
  plan: ['not_found', 'Plan not found.'],
  tbl: ['table_not_found', 'Table not found.'],
  row: ['not_found', 'Row not found in this table.'],
  enr: ['not_found', 'Enrichment not found.'],
  exp: ['export_not_found', 'Export not found.'],
  svcjob: ['not_found', 'Job not found.'],
  gorun: ['not_found', 'Go run not found.'],
  key: ['not_found', 'API key not found.'],
  session: ['not_found', 'Session not found.'],
  wh: ['not_found', 'Webhook not found.'],
  mon: ['not_found', 'Monitor not found.'],
  whd: ['not_found', 'Delivery not found for this webhook.'],
  dst: ['not_found', 'Destination not found.'],
  psh: ['not_found', 'Push not found for this destination.'],
  mbx: ['not_found', 'Mailbox not found.'],
  seq: ['not_found', 'Sequence not found.'],
  apr: ['not_found', 'Approval not found.'],
  thr: ['not_found', 'Thread not found.'],
  msg: ['not_found', 'Message not found.'],
  drf: ['not_found', 'Draft not found.'],
  sup: ['not_found', 'Suppression not found.'],
  svcbatch: ['not_found', 'Batch not found.'],
} as const satisfies Partial<Record<IdPrefix, readonly [ErrorCode, string]>>;

/**
 * Checks an id from a path before any query. Text that cannot be an id gets the same error as an id that does not exist.
 * @throws AppError the resource's 404
 */
export function requireId(prefix: keyof typeof MISSING, id: string): string {
  if (isId(prefix, id)) return id;
  const [code, message] = MISSING[prefix];
  throw new AppError(code, message);
}
