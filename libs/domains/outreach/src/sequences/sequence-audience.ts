import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonicalJson, type Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import type { KnownSequence } from './sequence.store.js';

/** A contact whose messages are rendered. */
export interface Contact {
  id: string;
  email: string;
  rowId: string | null;
  variables: Record<string, unknown>;
  isVerified: boolean;
  /** Number of messages that were sent to it. */
  step: number;
  mailboxId: string | null;
}

/** Content that an approval covers: this exact text, to these people, from these mailboxes, at these times. */
export interface Audience {
  people: number;
  /** The most messages still to be sent. */
  messages: number;
  digest: string;
}

/**
 * @param audience hash of the contacts: ids, addresses, variables and time zones
 * @returns SHA-256 of everything that a person approves
 */
export function digestOf(
  { id, version, definition }: Pick<KnownSequence, 'id' | 'version' | 'definition'>,
  mailboxes: ReadonlyArray<{ id: string; address: string }>,
  audience: string,
): string {
  const senders = [...mailboxes]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((each) => [each.id, each.address]);
  const text = canonicalJson({ sequence: id, version, definition, senders, audience });
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the contacts that a sequence will write to. PostgreSQL hashes them, so that ten thousand need not be read. */
@Injectable()
export class SequenceAudience {
  constructor(private readonly database: Database) {}

  /** @returns the numbers of people and messages ahead of the sequence, and the current digest */
  async measureAudience(ctx: Ctx | TxCtx, sequence: KnownSequence): Promise<Audience> {
    const senders = await this.database.query(ctx, SENDERS, [tenantOf(ctx), sequence.definition.mailbox_ids]);
    const row = await this.database.queryOne(ctx, MEASURE, [tenantOf(ctx), sequence.id]);
    const { people, messages, hash } = row!;
    return { people, messages, digest: digestOf(sequence, senders, hash) };
  }

  /** @returns open contacts in the order of their ids, after an id */
  async readContacts(
    ctx: Ctx | TxCtx,
    sequenceId: string,
    { after, limit, ids }: { after: string | null; limit: number; ids: readonly string[] | null },
  ): Promise<Contact[]> {
    const params = [tenantOf(ctx), sequenceId, after, ids, limit] as const;
    const rows = await this.database.query(ctx, CONTACTS, params);
    return rows.map(({ row_id: rowId, is_verified: isVerified, mailbox_id: mailboxId, ...row }) => ({
      ...row,
      rowId,
      isVerified,
      mailboxId,
    }));
  }

  /** @returns the first addresses of open contacts */
  async readAddresses(ctx: Ctx | TxCtx, sequenceId: string, limit: number): Promise<string[]> {
    const rows = await this.database.query(ctx, ADDRESSES, [tenantOf(ctx), sequenceId, limit]);
    return rows.map(({ email }) => email);
  }
}

const SENDERS = statement(
  'sequence-audience.senders',
  `SELECT b.id, b.address FROM outreach.mailboxes b WHERE ${ofTenant('b')} AND b.id = ANY ($2::text[])`,
);

const MEASURE = statement(
  'sequence-audience.measure',
  `SELECT count(*)::int AS people, coalesce(sum(greatest(0, s.step_count - e.step)), 0)::int AS messages,
     encode(sha256(coalesce(string_agg(
       sha256(convert_to(json_build_array(e.id, e.email, e.variables, e.time_zone)::text, 'UTF8')), ''::bytea ORDER BY e.id),
       ''::bytea)), 'hex') AS hash
   FROM outreach.enrollments e JOIN outreach.sequences s ON s.org_id = e.org_id AND s.mode = e.mode AND s.id = e.sequence_id
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL`,
).rows<{ people: number; messages: number; hash: string }>();

const CONTACTS = statement(
  'sequence-audience.contacts',
  `SELECT e.id, e.email, e.row_id, e.variables, e.is_verified, e.step, e.mailbox_id FROM outreach.enrollments e
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND ($3::text IS NULL OR e.id > $3) AND ($4::text[] IS NULL OR e.id = ANY ($4))
     AND e.ended_at IS NULL
   ORDER BY e.id LIMIT $5`,
).rows<{ variables: Record<string, unknown> }>();

const ADDRESSES = statement(
  'sequence-audience.addresses',
  `SELECT e.email FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL
   ORDER BY e.id LIMIT $3`,
);
