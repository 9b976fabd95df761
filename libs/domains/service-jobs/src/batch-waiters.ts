import { EndWaiters } from '@quarry/app';

/** Holds reads until their batch has ended. */
export class BatchWaiters extends EndWaiters {}
