import { z } from 'zod';
import { cursorPage, Id, defineResource, Timestamp } from './resource.js';

/** Types of events of an organisation's resources. Source: docs/events.md. */
export const EVENT_TYPES = [
  'run.started',
  'run.step',
  'run.rows',
  'run.recovering',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'batch.progress',
  'batch.completed',
  'go.step',
  'go.completed',
  'go.failed',
  'go.cancelled',
  'enrichment.progress',
  'enrichment.completed',
  'credits.low',
  'credits.exhausted',
  'export.created',
  'monitor.run.completed',
  'monitor.run.failed',
  'monitor.paused',
  'sequence.replied',
  'sequence.bounced',
  'webhook.disabled',
  'webhook.test',
] as const;

export const Event = defineResource('Event', {
  id: Id('evt', 'the event'),
  type: z.enum(EVENT_TYPES),
  timestamp: Timestamp,
  subject: z.string().describe('Identifier of the resource that the event is about.'),
  seq: z.int().min(1).describe('Sequence number within the events of its subject, without gaps.'),
  data: z
    .record(z.string(), z.unknown())
    .describe('Identifiers, states, counts and links; never texts or personal data.'),
});
export const EventPage = cursorPage('EventPage', Event);
