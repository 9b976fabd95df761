import { randomBytes, scrypt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ERASURES_RPC,
  ErasureReceipt as ErasureReceiptResource,
  jsonText,
  Person,
  type PersonNamed,
  type ResponseOf,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import {
  AuditLog,
  IdempotentRequests,
  ofTenant,
  TENANT,
  tenantOf,
  Database,
  type TxCtx,
} from '@quarry/postgres';
import { eraseFromGo } from '@quarry/go';
import { eraseFromOutreach } from '@quarry/outreach';
import { eraseFromRuns } from '@quarry/runs';
import { eraseFromLines } from '@quarry/service-jobs';
import { eraseFromTables, eraseWorkspaceName } from '@quarry/tables';
import { eraseFromDestinations } from '@quarry/webhooks';
import { statement } from './statements.types.js';

/** How much of each kind was erased; `in_work` is what was about the person and had not ended. */
export type Erased = Record<
  | 'rows'
  | 'frozen_rows'
  | 'exports'
  | 'names'
  | 'lines'
  | 'runs'
  | 'plans'
  | 'steps'
  | 'request_answers'
  | 'go_runs'
  | 'go_pages'
  | 'sent_rows'
  | 'contacts'
  | 'threads'
  | 'in_work',
  number
>;

export interface ErasureReceipt {
  receipt_id: string;
  erased: Erased;
  message: string;
}

/** Where an erasure goes on when work that was open has ended. */
interface FollowedErasure {
  org_id: string;
  mode: Ctx['mode'];
  id: string;
  subject: PersonNamed;
  erased: Erased;
}

/** As long as the call may take, and a minute for what still stands in its way then. */
const LEASE_MS = ERASURES_RPC.erasePerson.timeoutMs + 60_000;

/**
 * Erases a person from everything that an organisation keeps, in many small transactions. A receipt is `working` until
 * all places were gone through; an erasure that was cut off is simply asked for again.
 */
@Injectable()
export class PersonErasure {
  private readonly requests: IdempotentRequests;

  constructor(private readonly database: Database) {
    this.requests = new IdempotentRequests(database);
  }

  /** In the mode of the key. @returns the receipt as the public body. @throws AppError invalid_request, idempotency_conflict */
  async erase(
    ctx: Ctx,
    named: PersonNamed,
    idempotencyKey: string | null,
  ): Promise<ResponseOf<typeof ERASURES_RPC.erasePerson>> {
    const person = personOf(named);
    // Of the request a hash is kept, and a hash of an address can be guessed: a day long, like every key.
    const keyed = {
      route: ERASURES_RPC.erasePerson.pattern,
      key: idempotencyKey,
      body: { person: person.canonical },
    };
    return this.requests.whileLeased(ctx, keyed, LEASE_MS, async (keep) => {
      const id = newId('erasure');
      return jsonText(
        ErasureReceiptResource,
        await this.eraseIn(ctx, id, named, person, (tx, receipt) =>
          keep(tx, jsonText(ErasureReceiptResource, receipt)),
        ),
      );
    });
  }

  /** In both modes, for an operator. @throws AppError invalid_request when nobody is named */
  async eraseEverywhere(ctx: Ctx, named: PersonNamed): Promise<ErasureReceipt> {
    const person = personOf(named);
    const id = newId('erasure');
    const live = await this.eraseIn({ ...ctx, mode: 'live' }, id, named, person);
    const test = await this.eraseIn({ ...ctx, mode: 'test' }, id, named, person);
    return receiptOf(id, sumOf(live.erased, test.erased));
  }

  /**
   * Goes through everything once more for one erasure that was made while work was open, when all of that work has ended.
   * @returns whether there was one
   */
  async followOne(): Promise<boolean> {
    const found = await this.database.queryOne(systemCtx('erasure'), CLAIM_FOLLOWED, []);
    if (!found) return false;
    const { org_id: orgId, mode, id, subject, erased } = found as FollowedErasure;
    const ctx: Ctx = { ...systemCtx('erasure', orgId), mode };
    const sum = sumOf(erased, await this.eraseFromAll(ctx, personOf(subject)));
    await this.database.query(ctx, END_FOLLOWED, [tenantOf(ctx), id, JSON.stringify({ ...sum, in_work: 0 })]);
    return true;
  }

  private async eraseIn(
    ctx: Ctx,
    id: string,
    named: PersonNamed,
    person: Person,
    keep: (tx: TxCtx, receipt: ErasureReceipt) => Promise<void> = () => Promise.resolve(),
  ): Promise<ErasureReceipt> {
    await this.database.query(ctx, BEGIN_RECEIPT, [
      tenantOf(ctx),
      id,
      person.kind,
      await slowHash(person.canonical),
      JSON.stringify(named),
    ]);
    const receipt = receiptOf(id, await this.eraseFromAll(ctx, person));
    await this.database.transaction(ctx, async (tx) => {
      const erased = JSON.stringify(receipt.erased);
      await this.database.query(tx, END_RECEIPT, [tenantOf(tx), id, erased, JSON.stringify(named)]);
      await keep(tx, receipt);
      await new AuditLog(this.database).record(tx, {
        action: 'person.erased',
        object: id,
        facts: { by: person.kind, ...receipt.erased },
      });
    });
    return receipt;
  }

  /** In the direction in which things are copied: answers to lines, to rows, to frozen rows and exports. */
  private async eraseFromAll(ctx: Ctx, person: Person): Promise<Erased> {
    const lines = await eraseFromLines(this.database, ctx, person);
    const runs = await eraseFromRuns(this.database, ctx, person, (tx, workspace) =>
      eraseWorkspaceName(this.database, tx, workspace),
    );
    const tables = await eraseFromTables(this.database, ctx, person);
    const go = await eraseFromGo(this.database, ctx, person);
    const sentRows = await eraseFromDestinations(this.database, ctx, person);
    const mail = await eraseFromOutreach(this.database, ctx, person);
    const requestAnswers = await this.requests.erase(ctx, person);
    return {
      ...tables,
      names: tables.names + runs.names,
      lines: lines.lines,
      runs: runs.runs,
      plans: runs.plans,
      steps: runs.steps,
      request_answers: requestAnswers,
      go_runs: go.runs,
      go_pages: go.pages,
      sent_rows: sentRows,
      ...mail,
      in_work: lines.in_work + runs.in_work + go.in_work,
    };
  }
}

function personOf(named: PersonNamed): Person {
  const person = Person.of(named);
  if (typeof person === 'string') throw new AppError('invalid_request', person);
  return person;
}

/** Counts alone do not say whether the person was found under the name that was given. */
function receiptOf(id: string, erased: Erased): ErasureReceipt {
  const { in_work: inWork, ...places } = erased;
  const found = Object.values(places).some((count) => count > 0);
  const done = found
    ? 'The person was erased from the places that are counted.'
    : 'Nothing was erased: nothing names this person in the way that was given.';
  const left = inWork > 0 ? ' What is in work was left, and is gone through when it has ended.' : '';
  return { receipt_id: id, erased, message: done + left };
}

function sumOf(a: Erased, b: Erased): Erased {
  return Object.fromEntries(
    Object.entries(a).map(([place, count]) => [place, count + b[place as keyof Erased]]),
  ) as Erased;
}

/** @returns `scrypt$salt$hash` of who was erased: whoever knows the person can check it, and a list of guesses is slow */
function slowHash(text: string): Promise<string> {
  const salt = randomBytes(16);
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, (error, hash) =>
      error ? reject(error) : resolve(`scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`),
    );
  });
}

/** SQL that an organisation has work, in a mode, that has not ended. */
function openWork(of: string, condition = ''): string {
  const open = (table: string, states: string): string =>
    `EXISTS (SELECT 1 FROM ${table} WHERE org_id = ${of}.org_id AND mode = ${of}.mode AND ${states} ${condition})`;
  return `(${[
    open('runs.runs', "status IN ('queued', 'running', 'recovering')"),
    open('runs.enrichments', "status IN ('queued', 'running')"),
    open('jobs.jobs', "state IN ('queued', 'running')"),
    open('go.runs', 'ended_at IS NULL'),
    open('destinations.pushes', 'ended_at IS NULL'),
  ].join(' OR ')})`;
}

const BEGIN_RECEIPT = statement(
  'person-erasure.beginReceipt',
  `INSERT INTO erasure.receipts (org_id, mode, id, subject_kind, subject_hash, state, subject)
   SELECT t.org_id, t.mode, $2, $3, $4, 'working', CASE WHEN ${openWork('t')} THEN $5::jsonb END
   FROM (SELECT ${TENANT}) AS t (org_id, mode)`,
);

const END_RECEIPT = statement(
  'person-erasure.endReceipt',
  `UPDATE erasure.receipts r SET state = 'done', done_at = clock_timestamp(), erased = $3,
     subject = CASE WHEN r.subject IS NOT NULL OR ${openWork('r')} THEN $4::jsonb END
   WHERE ${ofTenant('r')} AND id = $2`,
);

/** Work that began later has read what was erased before. One that was cut off in the middle is made again after ten minutes. */
const CLAIM_FOLLOWED = statement(
  'person-erasure.claimFollowed',
  `UPDATE erasure.receipts SET followed_at = clock_timestamp() WHERE (org_id, id, mode) = (
     SELECT r.org_id, r.id, r.mode FROM erasure.receipts r
     WHERE r.subject IS NOT NULL AND r.state = 'done' AND coalesce(r.followed_at < clock_timestamp() - interval '10 minutes', TRUE)
       AND NOT ${openWork('r', 'AND created_at <= r.done_at')}
     ORDER BY r.done_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING org_id, mode, id, subject, erased`,
);

const END_FOLLOWED = statement(
  'person-erasure.endFollowed',
  `UPDATE erasure.receipts SET subject = NULL, erased = $3 WHERE ${ofTenant()} AND id = $2`,
);
