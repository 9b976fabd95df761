// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from './database/statement.js';
import type { BigNum, Num, Text, Texts, Typed } from './database/statement.js';

interface StatementTypes {
  'audit-log.broken': Typed<[Text], { number: Text }>;
  'audit-log.headAt': Typed<[Text, BigNum], { number: string; hash: Text }>;
  'audit-log.list': Typed<
    [Text, BigNum],
    {
      number: string;
      at: Date;
      actor_kind: 'key' | 'operator';
      actor_id: Text;
      mode: 'live' | 'test';
      action: string;
      object: string;
      address: Text;
      request_id: string;
      facts: unknown;
    }
  >;
  'audit-log.record': Typed<
    [Text, Text, Text, Text, Text, Text, Text, Text, Text],
    { record_audit_event: Text }
  >;
  'elicitation-mailbox.deleteOld': Typed<[], { '?column?': Num }>;
  'elicitation-mailbox.leave': Typed<[Texts, Text, Text]>;
  'elicitation-mailbox.take': Typed<[Texts, Text], { answer: string }>;
  'idempotent-requests.deleteAnswer': Typed<[Texts, Text, Text]>;
  'idempotent-requests.deleteOld': Typed<[], { '?column?': Num }>;
  'idempotent-requests.find': Typed<[Texts, Text, Text], { body_hash: string; answer: Text }>;
  'idempotent-requests.findAbout.all': Typed<[Texts, Texts], { route: string; key: string; answer: Text }>;
  'idempotent-requests.findAbout.any': Typed<[Texts, Texts], { route: string; key: string; answer: Text }>;
  'idempotent-requests.findOwnAnswer': Typed<[Texts, Text, Text, Text], { answer: Text }>;
  'idempotent-requests.free': Typed<[Texts, Text, Text, Text]>;
  'idempotent-requests.keep': Typed<[Texts, Text, Text, Text, Text], { '?column?': Num }>;
  'idempotent-requests.renew': Typed<[Texts, Text, Text, Text, BigNum]>;
  'idempotent-requests.take': Typed<[Texts, Text, Text, Text, Text, BigNum], { '?column?': Num }>;
  'lock-tenant.lock': Typed<[Texts, Text], { pg_advisory_xact_lock: Text }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
