// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from './database/statement.js';

interface StatementTypes {
  'audit-log.broken': { params: readonly [string | null]; row: { number: string | null } };
  'audit-log.headAt': {
    params: readonly [string | null, number | string | null];
    row: { number: string; hash: string | null };
  };
  'audit-log.list': {
    params: readonly [string | null, number | string | null];
    row: {
      number: string;
      at: Date;
      actor_kind: 'key' | 'operator';
      actor_id: string | null;
      mode: 'live' | 'test';
      action: string;
      object: string;
      address: string | null;
      request_id: string;
      facts: unknown;
    };
  };
  'audit-log.record': {
    params: readonly [
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { record_audit_event: string | null };
  };
  'elicitation-mailbox.deleteOld': { params: readonly []; row: { '?column?': number | null } };
  'elicitation-mailbox.leave': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'elicitation-mailbox.take': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { answer: string };
  };
  'idempotent-requests.deleteAnswer': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'idempotent-requests.deleteOld': { params: readonly []; row: { '?column?': number | null } };
  'idempotent-requests.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null];
    row: { body_hash: string; answer: string | null };
  };
  'idempotent-requests.findAbout.all': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { route: string; key: string; answer: string | null };
  };
  'idempotent-requests.findAbout.any': {
    params: readonly [ReadonlyArray<string | null> | null, ReadonlyArray<string | null> | null];
    row: { route: string; key: string; answer: string | null };
  };
  'idempotent-requests.findOwnAnswer': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { answer: string | null };
  };
  'idempotent-requests.free': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'idempotent-requests.keep': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    row: { '?column?': number | null };
  };
  'idempotent-requests.take': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { '?column?': number | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
