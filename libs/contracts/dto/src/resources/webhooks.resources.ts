import { z } from 'zod';
import { EVENT_TYPES } from './events.resources.js';
import { Count, cursorPage, Id, defineResource, Timestamp } from './resource.js';

const shown = {
  id: Id('wh', 'the webhook'),
  url: z.string(),
  types: z.array(z.enum(EVENT_TYPES)),
  status: z.enum(['active', 'disabled']),
  reason: z
    .enum(['requested', 'failing', 'gone'])
    .nullable()
    .describe(
      'Why it is disabled: by request, after five days without a success, or because the receiver answered 410.',
    ),
  created_at: Timestamp,
};

export const Webhook = defineResource('Webhook', { ...shown, description: z.string().nullable() });
export const WebhookList = defineResource('WebhookList', { items: z.array(Webhook) });

/** Webhook as returned when its secret is new. */
export const WebhookWithSecret = defineResource('WebhookWithSecret', {
  ...shown,
  secret: z.string().startsWith('whsec_').describe('Verifies the messages. It is not shown again.'),
});

/** Delivery of an event to a webhook. */
export const WebhookDelivery = defineResource('WebhookDelivery', {
  id: Id('whd', 'the delivery'),
  event_id: Id('evt', 'the event, which every attempt carries as webhook-id'),
  type: z.enum(EVENT_TYPES),
  status: z
    .enum(['pending', 'delivered', 'failed', 'cancelled'])
    .describe('Failed after ten attempts; cancelled when the webhook was disabled before.'),
  next_attempt_at: Timestamp.nullable(),
  created_at: Timestamp,
  attempts: z.array(
    z.strictObject({
      number: z.int().min(1),
      at: Timestamp,
      duration_ms: Count,
      status_code: z.int().nullable().describe('Status of the answer; null when there was none.'),
      error: z.string().nullable().describe('Why the attempt failed, beyond the status.'),
      answer: z.string().nullable().describe('The first 1,024 bytes of the answer.'),
    }),
  ),
});
export const WebhookDeliveryPage = cursorPage('WebhookDeliveryPage', WebhookDelivery);

export const WebhookReplay = defineResource('WebhookReplay', {
  deliveries: Count.describe('Events that are sent, again or for the first time.'),
  next_since: Timestamp.nullable().describe(
    'Where the next replay begins when there were more than 10,000 events; else null.',
  ),
});
