import { Injectable } from '@nestjs/common';
import { type Ctx, parseJson } from '@quarry/app';
import { ofTenant, TENANT, tenantOf } from '../database/tenant.js';
import { Database } from '../database/database.js';
import { statement } from '../statements.types.js';

/** Longer than any question stays open. */
const KEPT_MINUTES = 15;

/**
 * Passes a client's answer from the process that receives it to the process that asked: the first stores it here, the
 * second polls for it. Answers belong to the context's tenant.
 */
@Injectable()
export class ElicitationMailbox {
  constructor(private readonly database: Database) {}

  /** @param answer any JSON value; the first answer to a question wins */
  async leaveAnswer(ctx: Ctx, questionId: string, answer: unknown): Promise<void> {
    await this.database.query(ctx, LEAVE, [tenantOf(ctx), questionId, JSON.stringify(answer)]);
  }

  /** @returns the answer, which is removed; undefined if there is none yet */
  async takeAnswer(ctx: Ctx, questionId: string): Promise<unknown> {
    const row = await this.database.queryOne(ctx, TAKE, [tenantOf(ctx), questionId]);
    return row ? parseJson(row.answer) : undefined;
  }

  /** Deletes a batch of expired answers of all organisations. @returns the number of deleted answers */
  async deleteOld(ctx: Ctx): Promise<number> {
    return (await this.database.query(ctx, DELETE_OLD)).length;
  }
}

const LEAVE = statement(
  'elicitation-mailbox.leave',
  `
  INSERT INTO requests.client_answers (org_id, mode, question_id, answer, kept_until)
  VALUES (${TENANT}, $2, $3, clock_timestamp() + interval '${KEPT_MINUTES} minutes')
  ON CONFLICT DO NOTHING`,
);

const TAKE = statement(
  'elicitation-mailbox.take',
  `DELETE FROM requests.client_answers WHERE ${ofTenant()} AND question_id = $2 RETURNING answer`,
).rows<{ answer: string }>();

const DELETE_OLD = statement(
  'elicitation-mailbox.deleteOld',
  `
  DELETE FROM requests.client_answers WHERE (org_id, mode, question_id) IN (
    SELECT org_id, mode, question_id FROM requests.client_answers WHERE kept_until <= clock_timestamp()
    ORDER BY kept_until LIMIT 1000 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);
