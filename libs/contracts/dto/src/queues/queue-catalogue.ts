import { GoRunReady, JobsReady, RunReady, WorkTurn } from './payloads.js';

/** Content and consumption of a queue. All fields are required, so that a new queue cannot omit one. */
export interface QueueSpec {
  /** Class that validates the message on both ends. It contains only ids; PostgreSQL is the source of truth. */
  readonly payload: new () => object;
  /** Maximum number of messages that one process handles concurrently. */
  readonly concurrency: number;
  /** Milliseconds after which the queue hands the message of an unresponsive consumer to another one. */
  readonly lockMs: number;
  /**
   * Role of the consuming process; a jobs-worker process handles jobs, Go runs, runs that source from the web, webhooks,
   * pushes, mail, or all of them.
   */
  readonly consumer: 'agent' | 'researcher' | 'sender' | 'sourcer' | 'worker';
}

// A lost queue lock only repeats a notification: the claim in PostgreSQL decides who works. 60 s keeps repeats rare.
const LOCK_MS = 60_000;
const lines = { payload: JobsReady, concurrency: 50, lockMs: LOCK_MS, consumer: 'worker' } as const;

/**
 * All queues of the product: one per slow service, one for agents, one for runs that source from the web, one for Go, one
 * for webhooks, one for pushes, and two for mail.
 */
export const QUEUES = {
  'agent-runs': { payload: RunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'agent' },
  // A run sources from the web for many minutes: runs that search a directory must not wait for it.
  'sourcing-runs': { payload: RunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'sourcer' },
  'go-runs': { payload: GoRunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'researcher' },
  // A turn of one webhook, which waits for an external server most of the time.
  'webhook-delivery': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  // A turn of one destination, which waits for an external server most of the time.
  'destination-push': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  // Messages of one mailbox, and the reading of its inbox: each waits for an external server most of the time.
  'outreach-send': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  'outreach-receive': { payload: WorkTurn, concurrency: 20, lockMs: LOCK_MS, consumer: 'sender' },
  'service-get-email': lines,
  'service-get-phone-number': lines,
  'service-web-research': lines,
  'service-get-linkedin-user-comments': lines,
  'service-get-linkedin-user-reactions': lines,
} as const satisfies Record<string, QueueSpec>;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
/** Queues that apps/jobs-worker consumes. */
export const WORKER_QUEUES = QUEUE_NAMES.filter((name): name is WorkerQueue => name !== 'agent-runs');
export type WorkerQueue = Exclude<QueueName, 'agent-runs'>;
