import { QUEUES, type JobLinesReady, type QueueName } from '@quarry/dto';
import type { QueueBus } from '@quarry/platform';

/** The way to the queues of the product. */
export type Queues = QueueBus<typeof QUEUES>;

/** Queues that carry lines. */
export type LineQueue = Exclude<QueueName, 'agent-runs'>;
export const LINE_QUEUES = (Object.keys(QUEUES) as QueueName[]).filter(
  (name): name is LineQueue => QUEUES[name].consumer === 'worker',
);

/** A message carries the ids of up to this many lines, which makes the queue's share of a line's cost small. */
const LINES_PER_MESSAGE = 25;

/** @returns the messages that carry these lines */
export function messagesOf(jobIds: readonly string[]): JobLinesReady[] {
  const messages: JobLinesReady[] = [];
  for (let i = 0; i < jobIds.length; i += LINES_PER_MESSAGE)
    messages.push({ jobIds: jobIds.slice(i, i + LINES_PER_MESSAGE) });
  return messages;
}
