// Webhooks: who is sent what, by whom at a time, and where to.
import { mutant } from './mutant.mjs';

const TURNS = 'libs/kernel/durable-work/src/turn-sql.ts';
const LEASES = 'libs/domains/webhooks/src/webhook-lease.store.ts';
const STORE = 'libs/domains/webhooks/src/webhook.store.ts';
const DELIVERIES = 'libs/domains/webhooks/src/webhook-delivery.store.ts';
const CLIENT = 'libs/domains/webhooks/src/webhook.client.ts';
const SENDER = 'libs/domains/webhooks/src/webhook-sender.ts';
const SPEC = 'libs/domains/webhooks/src/webhooks.db.spec.ts';
const RECORD = 'libs/kernel/platform/src/database/functions/events/record_event.sql';
const CANCEL = 'libs/kernel/platform/src/database/functions/webhooks/cancel_deliveries.sql';

export const WEBHOOK_MUTANTS = [
  mutant('webhooks: an event goes to its own mode', SPEC, 'of its organisation and mode alone', [
    RECORD,
    'w.mode = p_mode\n        AND CASE',
    'w.mode IS NOT NULL\n        AND CASE',
  ]),
  mutant('webhooks: an event goes to those that listen', SPEC, 'of its organisation and mode alone', [
    RECORD,
    "w.status = 'active' AND p_type = ANY (w.types)",
    "w.status = 'active'",
  ]),
  mutant('webhooks: one sender at a time', SPEC, 'is one process at a time', [
    TURNS,
    'AND ${isOpen} AND ${isFree} RETURNING',
    'AND ${isOpen} RETURNING',
  ]),
  mutant('webhooks: the token of a settlement', SPEC, 'is one process at a time', [
    LEASES,
    "WHERE ${IS_IT('w')} AND w.lease_token = $4 RETURNING 1)",
    "WHERE ${IS_IT('w')} AND $4::text IS NOT NULL RETURNING 1)",
  ]),
  mutant('webhooks: a failure keeps what was cancelled', SPEC, 'keeps a delivery that arrived', [
    LEASES,
    "WHEN d.state = 'cancelled' OR m.outcome",
    'WHEN m.outcome',
  ]),
  mutant('webhooks: five days of failures', SPEC, 'is not disabled after', [
    LEASES,
    'AND failing_since < now() - make_interval(days => $10)',
    'AND $10::integer IS NOT NULL',
  ]),
  mutant('webhooks: ten failures', SPEC, 'is not disabled after', [
    LEASES,
    'AND failures + $8::integer >= $11::integer',
    'AND $11::integer IS NOT NULL',
  ]),
  mutant('webhooks: what is disabled is silent', SPEC, 'is disabled after five days', [
    CANCEL,
    "SET state = 'cancelled', next_at = NULL",
    'SET state = state',
  ]),
  mutant('webhooks: one attempt while it fails', SPEC, 'one attempt at a time until then', [
    SENDER,
    'this.leases.dueOf(lease, isFailing ? 1 : GROUP)',
    'this.leases.dueOf(lease, GROUP)',
  ]),
  mutant('webhooks: no redirect is followed', SPEC, 'takes a redirect for a failure', [
    CLIENT,
    'redirectsMax: 0,',
    'redirectsMax: 1,',
  ]),
  mutant('webhooks: twenty of them', SPEC, 'nobody has more than 20 webhooks', [
    STORE,
    'await this.database.query(tx, LOCK_TENANT, [tenantOf(tx)]);',
    '',
  ]),
  mutant('webhooks: a replay without what was delivered', SPEC, 'sends what happened within a time', [
    DELIVERIES,
    'AND NOT ($5::boolean AND EXISTS',
    'AND NOT ($5::boolean AND false AND EXISTS',
  ]),
];
