import type * as Api from './types.gen.js';

export { Quarry } from './quarry.js';
export type {
  Batch,
  BatchResult,
  InputOf,
  JobLine,
  RunBatchesOptions,
  SlowService,
  SlowServices,
} from './batches.js';
export { ApiError, ConnectionError, TimeoutError, type ErrorCode, type ErrorDetail } from './errors.js';
export type { QuarryEvent } from './events.js';
export { Pages, type PageOf } from './pages.js';
export type { FollowOptions, FreshOptions, SpendOptions, WaitOptions } from './resource.js';
export type { EventQuery, ExclusionKind } from './resources.js';
export type { FastServices } from './types.gen.js';
export type { CallOptions, QuarryOptions } from './transport.js';
export { verifyWebhook, WebhookError } from './webhook.js';
/** Types of resources, requests and responses, named as in the API description. */
export type { Api };
