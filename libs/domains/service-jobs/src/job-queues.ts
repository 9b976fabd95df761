import { QUEUES, type JobsReady, type QueueName } from '@quarry/dto';
import type { QueueBus } from '@quarry/queue';

/** The queues of the product. */
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

/** Job ids per message. Many ids make the queue's share of a job's cost small. */
const JOBS_PER_MESSAGE = 25;

/** @returns the messages that carry the jobs */
export function messagesOf(jobIds: readonly string[]): JobsReady[] {
  const messages: JobsReady[] = [];
  for (let i = 0; i < jobIds.length; i += JOBS_PER_MESSAGE)
    messages.push({ jobIds: jobIds.slice(i, i + JOBS_PER_MESSAGE) });
  return messages;
}
