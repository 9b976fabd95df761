import { AppError, type ErrorCode } from '@quarry/error-codes';
import { isId, type IdPrefix } from './ids.js';

/** Code of the 404 of each resource, its name, and where it was looked for. Source: error table of the contract. */
const RESOURCES = {
  ws: ['workspace_not_found', 'workspace'],
  run: ['run_not_found', 'run'],
  plan: ['not_found', 'plan'],
  tbl: ['table_not_found', 'table'],
  row: ['not_found', 'row', 'in this table'],
  enr: ['not_found', 'enrichment'],
  exp: ['export_not_found', 'export'],
  svcjob: ['not_found', 'job'],
  gorun: ['not_found', 'Go run'],
  key: ['not_found', 'API key'],
  session: ['not_found', 'session'],
  wh: ['not_found', 'webhook'],
  mon: ['not_found', 'monitor'],
  whd: ['not_found', 'delivery', 'for this webhook'],
  dst: ['not_found', 'destination'],
  psh: ['not_found', 'push', 'for this destination'],
  mbx: ['not_found', 'mailbox'],
  seq: ['not_found', 'sequence'],
  apr: ['not_found', 'approval'],
  thr: ['not_found', 'thread'],
  msg: ['not_found', 'message'],
  drf: ['not_found', 'draft'],
  sup: ['not_found', 'suppression'],
  svcbatch: ['not_found', 'batch'],
} as const satisfies Partial<Record<IdPrefix, readonly [code: ErrorCode, name: string, where?: string]>>;

/** Prefix of ids that name a resource in a path or an argument. */
export type ResourcePrefix = keyof typeof RESOURCES;

/** Returns the name of the resource that ids of a prefix belong to, such as `table`. */
export function resourceNameOf(prefix: ResourcePrefix): string {
  return RESOURCES[prefix][1];
}

/** Returns the 404 of a resource. Unknown, archived and foreign ones get the same words, so that they cannot be distinguished. */
export function notFound(prefix: ResourcePrefix): AppError {
  const [code, name, where = ''] = RESOURCES[prefix] as readonly [ErrorCode, string, string?];
  const sentence = `${name} not found ${where}`.trim();
  return new AppError(code, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`);
}

/**
 * Checks an id from a path before any query. Text that cannot be an id gets the same error as an id that does not exist.
 * @throws AppError the resource's 404
 */
export function requireId(prefix: ResourcePrefix, id: string): string {
  if (isId(prefix, id)) return id;
  throw notFound(prefix);
}
