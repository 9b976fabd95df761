import { QUEUES, type JobsReady, type QueueName } from '@quarry/dto';
import type { QueueBus } from '@quarry/queue';

/** The way to the queues of the product. */
export type Queues = QueueBus<typeof QUEUES>;

/** Queues that carry jobs of slow services. */
export type JobQueue = Exclude<
  QueueName,
  | 'agent-runs'
  | 'sourcing-runs'
  | 'go-runs'
  | 'webhook-delivery'
  | 'destination-push'
  | 'outreach-send'
  | 'outreach-receive'
>;
export const JOB_QUEUES = (Object.keys(QUEUES) as QueueName[]).filter(
  (name): name is JobQueue => QUEUES[name].consumer === 'worker',
);

/** A message carries the ids of up to this many jobs, which makes the queue's share of a job's cost small. */
const JOBS_PER_MESSAGE = 25;

/** @returns the messages that carry these jobs */
export function messagesOf(jobIds: readonly string[]): JobsReady[] {
  const messages: JobsReady[] = [];
  for (let i = 0; i < jobIds.length; i += JOBS_PER_MESSAGE)
    messages.push({ jobIds: jobIds.slice(i, i + JOBS_PER_MESSAGE) });
  return messages;
}
