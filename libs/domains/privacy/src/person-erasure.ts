import { randomBytes, scrypt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  ERASURES_RPC,
  ErasureReceipt as ErasureReceiptResource,
  jsonText,
  Person,
  type PersonNamed,
  type ResponseOf,
} from '@quarry/dto';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import {
  addErased,
  ERASURE_PARTS,
  inOrder,
  NOTHING_ERASED,
  type Erased,
  type ErasureParts,
} from './erasure-parts.js';
import { statement } from './statements.types.js';

export interface ErasureReceipt {
  receipt_id: string;
  erased: Erased;
  message: string;
}

/** Lease of an erasure: the timeout of the call plus one minute for work that then still blocks it. */
const LEASE_MS = ERASURES_RPC.erasePerson.timeoutMs + 60_000;

/**
 * Erases a person from everything that an organisation stores, in many small transactions. A receipt is `working` until all
 * places are done. An interrupted erasure is resumed by repeating the request.
 */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    @Inject(ERASURE_PARTS) private readonly parts: ErasureParts,
  ) {}

  /** Erases a person in the mode of the key. @returns the public receipt. @throws AppError invalid_request, idempotency_conflict */
  async erasePerson(
    ctx: Ctx,
    named: PersonNamed,
    idempotencyKey: string | null,
  ): Promise<ResponseOf<typeof ERASURES_RPC.erasePerson>> {
    const person = Person.of(named);
    // Only a hash of the request is kept, and only for a day like every idempotency key, because the hash of an address can be guessed.
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

  /** Erases a person in both modes, for an operator. @throws AppError invalid_request if the person is not identified */
  async eraseEverywhere(ctx: Ctx, named: PersonNamed): Promise<ErasureReceipt> {
    const person = Person.of(named);
    const id = newId('erasure');
    const live = await this.eraseIn({ ...ctx, mode: 'live' }, id, named, person);
    const test = await this.eraseIn({ ...ctx, mode: 'test' }, id, named, person);
    return receiptOf(id, addErased(live.erased, test.erased));
  }

  /**
   * Repeats one erasure that was requested while work was open, once all of that work has ended.
   * @returns whether there was one
   */
  async followOne(): Promise<boolean> {
    // Receipts are read oldest first. If one waits for its tenant's work, all later receipts of that tenant wait as well.
    const waiting = new Set<string>();
    for (const { org_id: orgId, mode, id, done_at: doneAt } of await this.database.query(
      systemCtx('erasure'),
      FIND_FOLLOWED,
      [],
    )) {
      const ctx: Ctx = { ...systemCtx('erasure', orgId), mode };
      const tenant = `${orgId} ${mode}`;
      if (waiting.has(tenant)) continue;
      if (await this.hasOpenWork(ctx, doneAt)) waiting.add(tenant);
      else if (await this.followErasure(ctx, id)) return true;
    }
    return false;
  }

  /** @returns false if another process was faster */
  private async followErasure(ctx: Ctx, id: string): Promise<boolean> {
    const claimed = await this.database.queryOne(ctx, CLAIM_FOLLOWED, [tenantOf(ctx), id]);
    if (!claimed) return false;
    const before = addErased(NOTHING_ERASED, claimed.erased);
    const sum = addErased(before, await this.eraseFromAll(ctx, Person.of(claimed.subject)));
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
      (await this.hasOpenWork(ctx)) ? JSON.stringify(named) : null,
    ]);
    const receipt = receiptOf(id, await this.eraseFromAll(ctx, person));
    await this.database.transaction(ctx, async (tx) => {
      const erased = JSON.stringify(receipt.erased);
      const isOpen = await this.hasOpenWork(tx);
      await this.database.query(tx, END_RECEIPT, [tenantOf(tx), id, erased, JSON.stringify(named), isOpen]);
      await keep(tx, receipt);
      await recordAudit(this.database, tx, {
        action: 'person.erased',
        object: id,
        facts: { by: person.kind, ...receipt.erased },
      });
    });
    return receipt;
  }

  private async eraseFromAll(ctx: Ctx, person: Person): Promise<Erased> {
    let sum = NOTHING_ERASED;
    for (const part of inOrder(this.parts))
      sum = addErased(sum, await part.erase(this.database, ctx, person));
    return sum;
  }

  /** @returns whether the tenant has unfinished work, created no later than the given time if there is one */
  private async hasOpenWork(ctx: Ctx | TxCtx, createdUntil: string | null = null): Promise<boolean> {
    for (const statement of inOrder(this.parts).flatMap(({ openWork }) => openWork))
      if (await this.database.queryOne(ctx, statement, [tenantOf(ctx), createdUntil])) return true;
    return false;
  }
}

/** The receipt has counts only: it does not reveal whether the person was found under the given name. */
function receiptOf(id: string, erased: Erased): ErasureReceipt {
  const { in_work: inWork, ...places } = erased;
  const found = Object.values(places).some((count) => count > 0);
  const done = found
    ? 'The person was erased from the places counted here.'
    : 'Nothing was erased: no data matches the person given.';
  const left = inWork > 0 ? ' Work in progress was skipped; it is checked when it has ended.' : '';
  return { receipt_id: id, erased, message: done + left };
}

/** @returns `scrypt$salt$hash` of the erased person's identity: it can be checked for a known person, but guessing is slow */
function slowHash(text: string): Promise<string> {
  const salt = randomBytes(16);
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, (error, hash) =>
      error ? reject(error) : resolve(`scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`),
    );
  });
}

const BEGIN_RECEIPT = statement(
  'person-erasure.beginReceipt',
  `INSERT INTO erasure.receipts (org_id, mode, id, subject_kind, subject_hash, state, subject)
   VALUES (${TENANT}, $2, $3, $4, 'working', $5::jsonb)`,
);

const END_RECEIPT = statement(
  'person-erasure.endReceipt',
  `UPDATE erasure.receipts SET state = 'done', done_at = clock_timestamp(), erased = $3,
     subject = CASE WHEN subject IS NOT NULL OR $5::boolean THEN $4::jsonb END
   WHERE ${ofTenant()} AND id = $2`,
);

/** Selects erasures that are due: an interrupted repeat is due again after ten minutes. Times are text, to keep microseconds. */
const IS_DUE = `subject IS NOT NULL AND state = 'done' AND coalesce(followed_at < clock_timestamp() - interval '10 minutes', TRUE)`;

const FIND_FOLLOWED = statement(
  'person-erasure.findFollowed',
  `SELECT org_id, mode, id, done_at::text AS done_at FROM erasure.receipts WHERE ${IS_DUE} ORDER BY erasure.receipts.done_at`,
).rows<{ done_at: string }>();

const CLAIM_FOLLOWED = statement(
  'person-erasure.claimFollowed',
  `UPDATE erasure.receipts SET followed_at = clock_timestamp() WHERE ${ofTenant()} AND id = $2 AND ${IS_DUE} RETURNING subject, erased`,
).rows<{ subject: PersonNamed; erased: Partial<Erased> }>();

const END_FOLLOWED = statement(
  'person-erasure.endFollowed',
  `UPDATE erasure.receipts SET subject = NULL, erased = $3 WHERE ${ofTenant()} AND id = $2`,
);
