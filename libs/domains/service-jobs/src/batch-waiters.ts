import { EndWaiters } from '@quarry/platform';

/** Holds reads until their batch has ended. */
export class BatchWaiters extends EndWaiters {}
