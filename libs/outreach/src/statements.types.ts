// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/platform';

interface StatementTypes {
  'enrollment-ends.cancel': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: Record<never, unknown>;
  };
  'enrollment-ends.complete': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'enrollment-ends.end': {
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
  'enrollment-ends.lockActive': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string };
  };
  'enrollment-ends.lockSequences': {
    params: readonly [ReadonlyArray<string | null> | null, string | null, string | null, string | null];
    row: { id: string };
  };
  'suppression.concerned': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { kind: string | null; value: string | null };
  };
  'suppression.insert': {
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
  'suppression.insertMany': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
      ReadonlyArray<string | null> | null,
    ];
    row: { id: string };
  };
  'suppression.list': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      Date | string | null,
      string | null,
      string | null,
      number | string | null,
    ];
    row: { json: string | null; place: string | null };
  };
  'suppression.remove': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { id: string; reason: 'manual' | 'unsubscribed' | 'hard_bounce' | 'soft_bounces' | 'reply' };
  };
}

/** Declares a statement of this room, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
