// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type EnrichmentsStatus = 'queued' | 'running' | 'completed' | 'cancelled';

interface StatementTypes {
  'column-lookups.works': Typed<
    [Texts, Text, Text, Text, BigNum],
    {
      id: Text;
      created_at: Text;
      at: Date | null;
      columns: unknown;
      plans: unknown;
      opened_by: Text;
      batches: unknown;
    }
  >;
  'enrichment-lease.beginStep': Typed<[Text, Text, Text, Text], { '?column?': Num }>;
  'enrichment-lease.claim': Typed<
    [Text, Text, BigNum],
    {
      orgId: string;
      mode: 'live' | 'test';
      keyId: Text;
      tableId: string;
      columns: unknown;
      rowIds: ReadonlyArray<string | null>;
      callScope: string;
      isFresh: boolean;
    }
  >;
  'enrichment-lease.end': Typed<[Text, Text, Text], { '?column?': Num }>;
  'enrichment-lease.findStep': Typed<[Text, Text], { input: unknown; result: unknown; finished: Flag }>;
  'enrichment-lease.finishStep': Typed<[Text, Text, Text, Text], { '?column?': Num }>;
  'enrichment-lease.openLists': Typed<[Text], { batch_id: Text }>;
  'enrichment-lease.release': Typed<[Text, Text]>;
  'enrichment-lease.renew': Typed<[Text, Text, BigNum], { '?column?': Num }>;
  'enrichment-lease.signals': Typed<
    [Text, Text],
    { isCancelled: boolean; keyId: Text; workspaceId: string; isTableGone: Flag }
  >;
  'enrichment-lease.takeSilent': Typed<[BigNum], { id: string }>;
  'enrichment-retention.deleteEnrichments': Typed<[Num, BigNum], { '?column?': Num }>;
  'enrichment-waiters.endedAmong': Typed<[Texts], { id: Text }>;
  'enrichment.cancel': Typed<[Texts, Text], { '?column?': Num }>;
  'enrichment.hasEnded': Typed<[Texts, Text], { has_ended: Flag }>;
  'enrichment.insert': Typed<[Texts, Text, Text, Text, Text, Text, Texts, Text, Flag, Num, BigNum]>;
  'enrichment.lockTable': Typed<[Text], { pg_advisory_xact_lock: Text }>;
  'enrichment.openWork': Typed<[Texts, Text], { columns: unknown }>;
  'enrichment.read': Typed<
    [Texts, Text],
    {
      table_id: string;
      status: EnrichmentsStatus;
      not_covered: number;
      credits_max: string;
      created_at: Text;
      completed_at: Text;
      cells: Num;
      results: unknown;
    }
  >;
  'erase-from-enrichments.enrichmentsAbout.all': Typed<
    [Texts, Texts],
    { id: string; columns: unknown; steps: unknown; ended: Flag }
  >;
  'erase-from-enrichments.enrichmentsAbout.any': Typed<
    [Texts, Texts],
    StatementTypes['erase-from-enrichments.enrichmentsAbout.all']['row']
  >;
  'erase-from-enrichments.openEnrichments': Typed<[Texts, Time], { open: Num }>;
  'erase-from-enrichments.redactEnrichment': Typed<[Texts, Text, Text, Text]>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
