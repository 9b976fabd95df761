// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Num, Text, Texts, Typed } from '@quarry/postgres';

interface StatementTypes {
  'event-log.find': Typed<[Texts, Text], { subject: string; seq: string; xid: Text; position: string }>;
  'event-log.findChanged': Typed<[Texts, Text], { settled: Text; org_ids: Texts }>;
  'event-log.newest': Typed<[Texts], { xid: Text; last_id: Text }>;
  'event-log.readFeed': Typed<
    [Texts, Text, BigNum, Texts, BigNum],
    { id: string; type: string; seq: string; xid: Text; position: string; json: Text }
  >;
  'event-log.readFeeds': Typed<
    [Text, Text, BigNum],
    { reader: Num; id: string; type: string; seq: string; xid: Text; position: string; json: Text }
  >;
  'event-log.readSubject': Typed<
    [Texts, Text, BigNum, Texts, BigNum],
    StatementTypes['event-log.readFeed']['row']
  >;
  'event-log.readSubjects': Typed<[Text, Text, BigNum], StatementTypes['event-log.readFeeds']['row']>;
  'event-retention.deleteEvents': Typed<[Num, BigNum], { '?column?': Num }>;
  'event-retention.deleteSubjects': Typed<[Num, BigNum], { '?column?': Num }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
