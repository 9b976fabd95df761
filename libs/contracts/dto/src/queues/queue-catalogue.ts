import { GoRunReady, JobsReady, RunReady, WorkTurn } from './payloads.js';

/** Content of a queue and the way of its consumption. All fields required: a new queue cannot forget one. */
export interface QueueSpec {
  /** Class that validates the message on both ends. Ids only; the truth is in PostgreSQL. */
  readonly payload: new () => object;
  /** Messages that one process handles at once. */
  readonly concurrency: number;
  /** Milliseconds that the queue waits for a silent consumer before it hands the message to another. */
  readonly lockMs: number;
  /** Role of the process that consumes it; a worker's process works on lines, Go runs, runs that look on the web, webhooks, pushes, mail, or all of them. */
  readonly consumer: 'agent' | 'researcher' | 'sender' | 'sourcer' | 'worker';
}

// A lost queue lock only repeats a hint: the claim in PostgreSQL decides who works. 60 s keeps repeats rare.
const LOCK_MS = 60_000;
const lines = { payload: JobsReady, concurrency: 50, lockMs: LOCK_MS, consumer: 'worker' } as const;

/** Every queue of the product: one per slow service, one for agents, one for runs that look on the web, one for Go, one for webhooks, one for pushes, and two for mail. */
export const QUEUES = {
  'agent-runs': { payload: RunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'agent' },
  // A run looks on the web for many minutes: runs that read a directory never wait behind it.
  'sourcing-runs': { payload: RunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'sourcer' },
  'go-runs': { payload: GoRunReady, concurrency: 8, lockMs: LOCK_MS, consumer: 'researcher' },
  // A turn of one webhook, which waits for a server elsewhere for most of its time.
  'webhook-delivery': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  // A turn of one destination, which waits for a server elsewhere for most of its time.
  'destination-push': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  // Messages of one mailbox, and the reading of its inbox: each waits for a server elsewhere for most of its time.
  'outreach-send': { payload: WorkTurn, concurrency: 50, lockMs: LOCK_MS, consumer: 'sender' },
  'outreach-receive': { payload: WorkTurn, concurrency: 20, lockMs: LOCK_MS, consumer: 'sender' },
  'service-get-email': lines,
  'service-get-phone-number': lines,
  'service-web-research': lines,
  'service-get-linkedin-user-comments': lines,
  'service-get-linkedin-user-reactions': lines,
} as const satisfies Record<string, QueueSpec>;

export type QueueName = keyof typeof QUEUES;
export type QueuePayload<N extends QueueName> = InstanceType<(typeof QUEUES)[N]['payload']>;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
/** Queues that apps/jobs-worker consumes. */
export const WORKER_QUEUES = QUEUE_NAMES.filter((name): name is WorkerQueue => name !== 'agent-runs');
export type WorkerQueue = Exclude<QueueName, 'agent-runs'>;
