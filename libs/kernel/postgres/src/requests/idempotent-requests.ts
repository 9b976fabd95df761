import { Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '@quarry/error-codes';
import { type Ctx, canonicalJson, parseJson } from '@quarry/app';
import type { TxCtx } from '../database/transaction.js';
import { ofTenant, TENANT, tenantOf } from '../database/tenant.js';
import { Database } from '../database/database.js';
import type { ErasurePart } from '../erasure/erasure-part.js';
import { lookingForPerson, type SoughtPerson } from '../erasure/person-search.js';
import { statement } from '../statements.types.js';

/** A request that may be repeated. */
export interface KeyedRequest {
  /** The call and the ids in its path. */
  route: string;
  /** Its Idempotency-Key; without one nothing is stored. */
  key: string | null;
  /** The body, as text or as a value; equal bodies count as the same request. */
  body: unknown;
}

/** Stores the response in the transaction of its effect: both are committed, or neither. */
export type KeepAnswer<Answer> = (tx: TxCtx, answer: Answer) => Promise<void>;

/** Source: docs/contract.md#3-runs. */
const KEPT_HOURS = 24;
/** Longer than any transaction: its statements would have been cancelled. */
const TRANSACTION_LEASE_MS = 60_000;
/** Lease of longer work, which its process renews: after a crash its key is free within a minute, however long it may take. */
const RENEWED_LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
// Small, so that a delete never locks many rows at once.
const KEYS_PER_STATEMENT = 1000;

/**
 * Makes every call that creates or spends something safe to repeat by its Idempotency-Key: the same key and body get the
 * same response and run once. Another body, or a first request that is still in progress, is `idempotency_conflict`.
 *
 * A key: absent → leased (by the first request) → answered, or absent again if the request is refused. A lease ends by
 * the database clock, so that a crashed process blocks its key only for a while. A process that was merely suspended
 * finds its token replaced, and its transaction fails.
 */
@Injectable()
export class IdempotentRequests {
  /** Erases a person from responses that are stored for repeated requests. */
  static readonly erasure: ErasurePart<'request_answers'> = {
    erase: async (database, ctx, person) => ({
      request_answers: await new IdempotentRequests(database).erasePerson(ctx, person),
    }),
    openWork: [],
  };

  constructor(private readonly database: Database) {}

  /**
   * Runs work that is a single transaction. A concurrent equal request waits for it and gets its response.
   * @param work all database effects of the request, in this transaction
   * @throws AppError idempotency_conflict; errors of `work`
   */
  async inTransaction<Answer>(
    ctx: Ctx | TxCtx,
    request: KeyedRequest,
    work: (tx: TxCtx) => Promise<Answer>,
  ): Promise<Answer> {
    if (request.key === null) return this.database.transaction(ctx, work);
    const keyedWork = { ...request, hash: hashOf(request.body), token: randomUUID() };
    return this.database.transaction(ctx, async (tx) => {
      const known = await this.takeKey<Answer>(tx, keyedWork, TRANSACTION_LEASE_MS);
      if (known) return known.answer;
      const answer = await work(tx);
      await this.keepAnswer(tx, keyedWork, answer);
      return answer;
    });
  }

  /**
   * Runs work of more than one transaction. A concurrent equal request is refused with a Retry-After. If `work` fails, the
   * key becomes free.
   * @param leaseMs maximum duration of the work; afterwards another request can take the key
   * @param work calls `keep` once, in the transaction of its effect
   * @throws AppError idempotency_conflict; errors of `work`
   */
  async whileLeased<Answer>(
    ctx: Ctx,
    request: KeyedRequest,
    leaseMs: number,
    work: (keep: KeepAnswer<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    if (request.key === null) return work(() => Promise.resolve());
    const keyedWork = { ...request, hash: hashOf(request.body), token: randomUUID() };
    const endsAt = performance.now() + leaseMs;
    const known = await this.takeKey<Answer>(ctx, keyedWork, Math.min(leaseMs, RENEWED_LEASE_MS));
    if (known) return known.answer;
    const renew = (): void => void this.renewKey(ctx, keyedWork, endsAt).catch(() => undefined);
    const renewing = setInterval(renew, RENEW_EVERY_MS);
    try {
      return await work((tx, answer) => this.keepAnswer(tx, keyedWork, answer));
    } catch (error) {
      // The commit may have succeeded although its response was lost: then the stored response is returned.
      const kept = await this.freeKey<Answer>(ctx, keyedWork).catch(() => null);
      if (kept) return kept.answer;
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** Deletes a batch of keys older than a day, of all organisations; safe to run concurrently. @returns the number deleted */
  async deleteOld(ctx: Ctx): Promise<number> {
    return (await this.database.query(ctx, DELETE_OLD)).length;
  }

  /** Deletes responses of the context's tenant that name a person; their keys then run again. @returns the number deleted */
  async erasePerson(ctx: Ctx, person: SoughtPerson): Promise<number> {
    const found = await this.database.query(ctx, FIND_ABOUT[person.sought], [tenantOf(ctx), person.patterns]);
    const named = found.filter(({ answer }) => person.isIn(answer));
    for (const { route, key } of named)
      await this.database.query(ctx, DELETE_ANSWER, [tenantOf(ctx), route, key]);
    return named.length;
  }

  /** Takes the key for this request. @returns the stored response; null if the key was taken */
  private async takeKey<Answer>(
    ctx: Ctx | TxCtx,
    keyedWork: KeyedWork,
    leaseMs: number,
  ): Promise<{ answer: Answer } | null> {
    for (;;) {
      const taken = await this.database.queryOne(ctx, TAKE, [
        tenantOf(ctx),
        keyedWork.route,
        keyedWork.key,
        keyedWork.hash,
        keyedWork.token,
        leaseMs,
      ]);
      if (taken) return null;
      const row = await this.database.queryOne(ctx, FIND, [tenantOf(ctx), keyedWork.route, keyedWork.key]);
      // Freed in between: try again.
      if (!row) continue;
      if (row.body_hash !== keyedWork.hash)
        throw new AppError(
          'idempotency_conflict',
          'This Idempotency-Key was already used with a different body.',
        );
      if (row.answer === null) throw stillInWork();
      return { answer: parseJson(row.answer) as Answer };
    }
  }

  /** Prolongs the lease, at most until the work must have ended. */
  private async renewKey(ctx: Ctx, { route, key, token }: KeyedWork, endsAt: number): Promise<void> {
    const leaseMs = Math.min(endsAt - performance.now(), RENEWED_LEASE_MS);
    if (leaseMs <= 0) return;
    // Not behind transactions, which may be such work themselves.
    await this.database.query(ctx, RENEW, [tenantOf(ctx), route, key, token, leaseMs], 'heartbeat');
  }

  private async keepAnswer(tx: TxCtx, keyedWork: KeyedWork, answer: unknown): Promise<void> {
    const kept = await this.database.queryOne(tx, KEEP, [
      tenantOf(tx),
      keyedWork.route,
      keyedWork.key,
      keyedWork.token,
      JSON.stringify(answer),
    ]);
    // The lease has expired and another request has the key: this transaction must not commit its effect too.
    if (!kept) throw stillInWork();
  }

  /** Releases the key, unless its response was stored. @returns that response */
  private async freeKey<Answer>(ctx: Ctx, keyedWork: KeyedWork): Promise<{ answer: Answer } | null> {
    const params = [tenantOf(ctx), keyedWork.route, keyedWork.key, keyedWork.token] as const;
    // Waits for a transaction of this request that still has the row locked.
    await this.database.query(ctx, FREE, params);
    const row = await this.database.queryOne(ctx, FIND_OWN_ANSWER, params);
    return row && { answer: parseJson(row.answer) as Answer };
  }
}

type KeyedWork = KeyedRequest & { hash: string; token: string };

const TAKE = statement(
  'idempotent-requests.take',
  `
  INSERT INTO requests.keys AS k (org_id, mode, route, key, body_hash, token, lease_until, kept_until)
  SELECT ${TENANT}, $2, $3, $4, $5, at + make_interval(secs => $6 / 1000.0), at + interval '${KEPT_HOURS} hours'
  FROM clock_timestamp() AS at
  ON CONFLICT (org_id, mode, route, key) DO UPDATE
    SET body_hash = excluded.body_hash, token = excluded.token, lease_until = excluded.lease_until, kept_until = excluded.kept_until
    WHERE k.answer IS NULL AND k.lease_until < clock_timestamp()
  RETURNING 1`,
);

function hashOf(body: unknown): string {
  const text = typeof body === 'string' ? body : canonicalJson(body);
  return createHash('sha256').update(text).digest('base64url');
}

function stillInWork(): AppError {
  return new AppError(
    'idempotency_conflict',
    'The first request with this Idempotency-Key is still in progress. Ask again in a moment.',
    { headers: { 'Retry-After': '1' } },
  );
}

const DELETE_OLD = statement(
  'idempotent-requests.deleteOld',
  `
  DELETE FROM requests.keys WHERE (org_id, mode, route, key) IN (
    SELECT org_id, mode, route, key FROM requests.keys WHERE kept_until <= clock_timestamp()
    ORDER BY kept_until LIMIT ${KEYS_PER_STATEMENT} FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);

const DELETE_ANSWER = statement(
  'idempotent-requests.deleteAnswer',
  `DELETE FROM requests.keys WHERE ${ofTenant()} AND route = $2 AND key = $3 AND answer IS NOT NULL`,
);

const FIND = statement(
  'idempotent-requests.find',
  `SELECT body_hash, answer FROM requests.keys WHERE ${ofTenant()} AND route = $2 AND key = $3`,
);

const KEEP = statement(
  'idempotent-requests.keep',
  `
  UPDATE requests.keys SET answer = $5, lease_until = NULL,
    kept_until = clock_timestamp() + interval '${KEPT_HOURS} hours'
  WHERE ${ofTenant()} AND route = $2 AND key = $3 AND token = $4 AND answer IS NULL RETURNING 1`,
);

const FIND_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `idempotent-requests.findAbout.${by}`,
    `SELECT route, key, answer FROM requests.keys
     WHERE ${ofTenant()} AND answer IS NOT NULL AND ${condition('answer', '$2')}`,
  ).rows<{ answer: string }>(),
);

const OWN = `${ofTenant()} AND route = $2 AND key = $3 AND token = $4`;

const RENEW = statement(
  'idempotent-requests.renew',
  `UPDATE requests.keys SET lease_until = clock_timestamp() + make_interval(secs => $5 / 1000.0)
   WHERE ${OWN} AND answer IS NULL`,
);

const FREE = statement(
  'idempotent-requests.free',
  `DELETE FROM requests.keys WHERE ${OWN} AND answer IS NULL`,
);

const FIND_OWN_ANSWER = statement(
  'idempotent-requests.findOwnAnswer',
  `SELECT answer FROM requests.keys WHERE ${OWN}`,
).rows<{ answer: string }>();
