// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';

interface StatementTypes {
  'event-log.find': {
    params: readonly [ReadonlyArray<string | null> | null, string | null];
    row: { subject: string; seq: string; xid: string | null; position: string };
  };
  'event-log.newest': { params: readonly []; row: { xid: string | null } };
  'event-log.readFeed': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
      number | string | null,
    ];
    row: { id: string; type: string; seq: string; xid: string | null; position: string; json: string | null };
  };
  'event-log.readFeeds': {
    params: readonly [string | null, string | null, number | string | null];
    row: {
      reader: number | null;
      id: string;
      type: string;
      seq: string;
      xid: string | null;
      position: string;
      json: string | null;
    };
  };
  'event-log.readSubject': {
    params: readonly [
      ReadonlyArray<string | null> | null,
      string | null,
      number | string | null,
      ReadonlyArray<string | null> | null,
      number | string | null,
    ];
    row: { id: string; type: string; seq: string; xid: string | null; position: string; json: string | null };
  };
  'event-log.readSubjects': {
    params: readonly [string | null, string | null, number | string | null];
    row: {
      reader: number | null;
      id: string;
      type: string;
      seq: string;
      xid: string | null;
      position: string;
      json: string | null;
    };
  };
  'event-retention.deleteEvents': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
  'event-retention.deleteSubjects': {
    params: readonly [number | null, number | string | null];
    row: { '?column?': number | null };
  };
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
