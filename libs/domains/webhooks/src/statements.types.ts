// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'destination-lease.claim': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { kind: string; settings: unknown; mapping: unknown; sealed_secret: string };
  };
  'destination-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'destination-lease.nextPush': {
    params: readonly [string | null, string | null, string | null, string | null, number | string | null];
    row: {
      id: string;
      table_id: string;
      view_id: string | null;
      next_row: string;
      counts: unknown;
      tries: number;
    };
  };
  'destination-lease.release': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'destination-lease.renew': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'destination-lease.settle': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
      number | string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | null,
      number | string | null,
    ];
    row: { '?column?': number | null };
  };
  'destination-lease.takeDue': {
    params: readonly [number | string | null, number | string | null];
    row: { org_id: string; mode: 'live' | 'test'; id: string; was_leased: boolean | null };
  };
  'destination.change': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      boolean | null,
    ];
    row: { id: string };
  };
  'destination.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'destination.list': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: {
      id: string;
      kind: string;
      name: string;
      settings: unknown;
      mapping: unknown;
      created_at: string | null;
    };
  };
  'destination.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'destination.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: {
      id: string;
      kind: string;
      name: string;
      settings: unknown;
      mapping: unknown;
      created_at: string | null;
    };
  };
  'destination.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'erase-from-destinations.about.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { key: string };
  };
  'erase-from-destinations.about.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { key: string };
  };
  'erase-from-destinations.delete': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { '?column?': number | null };
  };
  'erase-from-destinations.openPushes': {
    params: readonly [ReadonlyArray<string | null> | null, Date | string | null];
    row: { open: number | null };
  };
  'push-classifier.sent': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { key: string; hash: string; vendor_id: string | null; row_id: string; push_id: string };
  };
  'push-retention.deletePushes': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'push.failures': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { row_id: string; reason: string; at: string | null };
  };
  'push.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'push.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: {
      id: string;
      destination_id: string;
      table_id: string;
      view: string | null;
      status: 'queued' | 'working' | 'completed' | 'failed';
      reason: string | null;
      counts: unknown;
      created_at: string | null;
      ended_at: string | null;
    };
  };
  'push.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: {
      id: string;
      destination_id: string;
      table_id: string;
      view: string | null;
      status: 'queued' | 'working' | 'completed' | 'failed';
      reason: string | null;
      counts: unknown;
      created_at: string | null;
      ended_at: string | null;
    };
  };
  'reseal-webhooks.reseal': {
    params: readonly [string | null, string | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'reseal-webhooks.resealDestination': {
    params: readonly [string | null, string | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'reseal-webhooks.sealed': {
    params: readonly [];
    row: { org_id: string | null; mode: string | null; id: string | null; sealed: string | null };
  };
  'webhook-delivery.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { id: string };
  };
  'webhook-delivery.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string; json: string | null };
  };
  'webhook-delivery.lock': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { status: 'active' | 'disabled' };
  };
  'webhook-delivery.newestTest': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'webhook-delivery.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { json: string | null };
  };
  'webhook-delivery.recordTest': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { record_event: string | null };
  };
  'webhook-delivery.redeliver': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'webhook-delivery.replay': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      Date | string | null,
      Date | string | null,
      boolean | null,
      number | null,
    ];
    row: { deliveries: number | null; next_since: string | null };
  };
  'webhook-delivery.status': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { status: 'active' | 'disabled' };
  };
  'webhook-lease.claim': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { is_failing: boolean | null };
  };
  'webhook-lease.due': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      number | string | null,
    ];
    row: {
      id: string;
      event_id: string;
      tries: number;
      url: string;
      secrets: ReadonlyArray<string | null> | null;
      body: string | null;
    };
  };
  'webhook-lease.expireAll': { params: readonly []; row: Record<never, unknown> };
  'webhook-lease.release': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'webhook-lease.settle': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
      string | null,
      boolean | null,
      number | null,
      boolean | null,
      number | null,
      number | null,
    ];
    row: { '?column?': number | null };
  };
  'webhook-lease.takeDue': {
    params: readonly [number | string | null, number | string | null];
    row: { org_id: string; mode: 'live' | 'test'; id: string; was_leased: boolean | null };
  };
  'webhook-retention.deleteDeliveries': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'webhook.change': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
    ];
    row: { id: string };
  };
  'webhook.insert': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { id: string };
  };
  'webhook.list': { params: readonly [ReadonlyArray<string | null> | null]; row: { json: string | null } };
  'webhook.lockTenant': {
    params: readonly [ReadonlyArray<string | null> | null];
    row: { pg_advisory_xact_lock: string | null };
  };
  'webhook.read': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { json: string | null; sealed_secret: string };
  };
  'webhook.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'webhook.removeAttempts': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'webhook.removeDeliveries': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: Record<never, unknown>;
  };
  'webhook.rotate': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, number | null];
    row: { id: string };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
