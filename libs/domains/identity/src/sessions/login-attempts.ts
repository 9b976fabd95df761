import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { systemCtx } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Subject of a limit, and its maximum number of failed attempts in 15 minutes. */
export interface AttemptLimit {
  /** For example `account:ada@acme.example`; stored as a hash. */
  subject: string;
  max: number;
}

const ctx = systemCtx('login attempts');

/**
 * Counts sign-in attempts across all processes. An attempt is counted before the password is checked, so that concurrent
 * attempts count like sequential ones, and is removed after a success.
 */
@Injectable()
export class LoginAttempts {
  constructor(private readonly db: Database) {}

  /** Counts an attempt. @returns the function that removes it. @throws AppError rate_limited if a subject is at its limit */
  async countAttempt(limits: readonly AttemptLimit[]): Promise<() => Promise<void>> {
    const subjects = limits.map(({ subject }) => hash('sha256', subject));
    const ids = await this.db.transaction(ctx, async (tx) => {
      await this.db.query(tx, LOCK, [subjects]);
      const counted = await this.db.query(tx, COUNT, [subjects]);
      const waits = counted
        .filter(({ place, attempts }) => attempts >= limits[Number(place) - 1]!.max)
        .map(({ wait_seconds: seconds }) => seconds);
      if (waits.length > 0) throw tooManyAttempts(Math.max(1, ...waits));
      await this.db.query(tx, FORGET_OLD);
      return this.db.query(tx, INSERT, [subjects]);
    });
    return async () => void (await this.db.query(ctx, FORGET, [ids.map(({ id }) => id)]));
  }
}

function tooManyAttempts(retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', 'Too many sign-in attempts. Wait, then try again.', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

// Source: docs/contract.md#10-the-web-application.
const WINDOW = `interval '15 minutes'`;

const LOCK = statement(
  'login-attempts.lock',
  `
  SELECT pg_advisory_xact_lock(hashtextextended('identity.login_attempts:' || subject, 0))
  FROM (SELECT subject FROM unnest($1::text[]) AS subject ORDER BY subject) AS ordered`,
);

const COUNT = statement(
  'login-attempts.count',
  `
  SELECT wanted.place, count(*)::int AS attempts,
    ceil(extract(epoch FROM min(a.at) + ${WINDOW} - clock_timestamp()))::int AS wait_seconds
  FROM unnest($1::text[]) WITH ORDINALITY AS wanted (subject, place)
  JOIN identity.login_attempts a ON a.subject = wanted.subject AND a.at > clock_timestamp() - ${WINDOW}
  GROUP BY wanted.place`,
).rows<{ place: string; attempts: number; wait_seconds: number }>();

const INSERT = statement(
  'login-attempts.insert',
  'INSERT INTO identity.login_attempts (subject) SELECT unnest($1::text[]) RETURNING id',
);

const FORGET = statement(
  'login-attempts.forget',
  'DELETE FROM identity.login_attempts WHERE id = ANY ($1::bigint[])',
);

const FORGET_OLD = statement(
  'login-attempts.forgetOld',
  `
  DELETE FROM identity.login_attempts WHERE id IN (
    SELECT id FROM identity.login_attempts WHERE at < clock_timestamp() - ${WINDOW}
    ORDER BY at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
);
