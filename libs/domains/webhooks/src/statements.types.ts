// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type PushesStatus = 'queued' | 'working' | 'completed' | 'failed';

interface StatementTypes {
  'destination-lease.claim': Typed<
    [Texts, Text, Text, BigNum],
    { kind: string; settings: unknown; mapping: unknown; sealedSecret: string }
  >;
  'destination-lease.expireAll': Typed<[]>;
  'destination-lease.nextPush': Typed<
    [Text, Text, Text, Text, BigNum],
    { id: string; table_id: string; view_id: Text; next_row: string; counts: unknown; tries: number }
  >;
  'destination-lease.release': Typed<[Texts, Text, Text, BigNum], { id: string }>;
  'destination-lease.renew': Typed<[Texts, Text, Text, BigNum], { id: string }>;
  'destination-lease.settle': Typed<
    [Text, Text, Text, Text, BigNum, Text, BigNum, Text, Text, Text, Text, Text, Num, BigNum],
    { '?column?': Num }
  >;
  'destination-lease.takeDue': Typed<
    [BigNum, BigNum],
    { org_id: string; mode: 'live' | 'test'; id: string; was_leased: Flag }
  >;
  'destination.change': Typed<[Texts, Text, Text, Text, Text, Flag, Flag]>;
  'destination.insert': Typed<[Texts, Text, Text, Text, Text, Text, Text, BigNum], { id: string }>;
  'destination.list': Typed<
    [Texts],
    { id: string; kind: string; name: string; settings: unknown; mapping: unknown; created_at: Text }
  >;
  'destination.lock': Typed<[Texts, Text], StatementTypes['destination.list']['row']>;
  'destination.read': Typed<[Texts, Text], StatementTypes['destination.list']['row']>;
  'destination.remove': Typed<[Texts, Text], { id: string }>;
  'erase-from-destinations.about.all': Typed<[Texts, Texts], { key: string }>;
  'erase-from-destinations.about.any': Typed<[Texts, Texts], { key: string }>;
  'erase-from-destinations.delete': Typed<[Texts, Texts], { '?column?': Num }>;
  'erase-from-destinations.openPushes': Typed<[Texts, Time], { open: Num }>;
  'push-classifier.sent': Typed<
    [Texts, Text, Texts],
    { key: string; hash: string; vendor_id: Text; row_id: string; push_id: string }
  >;
  'push-retention.deletePushes': Typed<[Num, BigNum], { '?column?': Num }>;
  'push.failures': Typed<[Texts, Text, Text, Text, BigNum], { row_id: string; reason: string; at: Text }>;
  'push.insert': Typed<[Texts, Text, Text, Text, Text, Text], { id: string }>;
  'push.list': Typed<
    [Texts, Text, Text, BigNum],
    {
      id: string;
      destination_id: string;
      table_id: string;
      view: Text;
      status: PushesStatus;
      reason: Text;
      counts: unknown;
      created_at: Text;
      ended_at: Text;
    }
  >;
  'push.read': Typed<[Texts, Text, Text], StatementTypes['push.list']['row']>;
  'reseal-webhooks.reseal': Typed<[Text, Text, Text, Text, Text], { id: string }>;
  'reseal-webhooks.resealDestination': Typed<[Text, Text, Text, Text, Text], { id: string }>;
  'reseal-webhooks.sealed': Typed<[], { org_id: Text; mode: Text; id: Text; sealed: Text }>;
  'webhook-delivery.find': Typed<[Texts, Text, Text], { id: string }>;
  'webhook-delivery.list': Typed<[Texts, Text, Text, BigNum], { id: string; json: Text }>;
  'webhook-delivery.lock': Typed<[Texts, Text], { status: 'active' | 'disabled' }>;
  'webhook-delivery.newestTest': Typed<[Texts, Text], { id: string }>;
  'webhook-delivery.read': Typed<[Texts, Text, Text], { json: Text }>;
  'webhook-delivery.recordTest': Typed<[Texts, Text], { record_event: Text }>;
  'webhook-delivery.redeliver': Typed<[Texts, Text, Text]>;
  'webhook-delivery.replay': Typed<
    [Texts, Text, Time, Time, Flag, Num],
    { deliveries: Num; next_since: Text }
  >;
  'webhook-delivery.status': Typed<[Texts, Text], { status: 'active' | 'disabled' }>;
  'webhook-lease.claim': Typed<[Texts, Text, Text, BigNum], { isFailing: Flag }>;
  'webhook-lease.due': Typed<
    [Text, Text, Text, Text, BigNum, BigNum],
    { id: string; eventId: string; tries: number; url: string; sealedSecrets: Texts; body: Text }
  >;
  'webhook-lease.expireAll': Typed<[]>;
  'webhook-lease.release': Typed<[Texts, Text, Text, BigNum], { id: string }>;
  'webhook-lease.settle': Typed<
    [Text, Text, Text, Text, BigNum, Text, Flag, Num, Flag, Num, Num],
    { '?column?': Num }
  >;
  'webhook-lease.takeDue': Typed<[BigNum, BigNum], StatementTypes['destination-lease.takeDue']['row']>;
  'webhook-retention.deleteDeliveries': Typed<[Num, BigNum], { '?column?': Num }>;
  'webhook.change': Typed<[Texts, Text, Text, Texts, Text, Text]>;
  'webhook.insert': Typed<[Texts, Text, Text, Texts, Text, Text, BigNum], { id: string }>;
  'webhook.list': Typed<[Texts], { json: Text }>;
  'webhook.lock': Typed<[Texts, Text], { json: Text }>;
  'webhook.read': Typed<[Texts, Text], { json: Text; sealed_secret: string }>;
  'webhook.remove': Typed<[Texts, Text], { id: string }>;
  'webhook.removeAttempts': Typed<[Texts, Text]>;
  'webhook.removeDeliveries': Typed<[Texts, Text]>;
  'webhook.rotate': Typed<[Texts, Text, Text, Num], { id: string }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
