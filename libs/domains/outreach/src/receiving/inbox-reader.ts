import { Inject, Injectable } from '@nestjs/common';
import {
  LeaseGuard,
  leaseTiming,
  WorkHandler,
  workCtx,
  type TurnEnd,
  type TurnKey,
} from '@quarry/durable-work';
import { LOGGER, SealedSecrets, type Logger } from '@quarry/app';
import {
  DomainRecords,
  MailboxError,
  MailboxReader,
  readInbound,
  type FoundMail,
  type ReadState,
} from '@quarry/mail';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { openMailboxSecrets } from '../mailboxes/mailbox-secrets.js';
import { statement } from '../statements.types.js';
import { InboundMailStore } from './inbound-mail.store.js';
import {
  OUTREACH_RECEIVE,
  READ_EVERY_MS,
  ReadingLeaseStore,
  type ReadMailbox,
} from './reading-lease.store.js';

/** The most mails of one turn, so that a full inbox does not block others. */
const MAILS_PER_TURN = 200;
/** Days of mail to read when a folder is read for the first time, or its UIDs have become invalid. */
const DAYS = 30;
/** Milliseconds until an inbox is tried again that cannot be reached or refuses the login. */
const UNREACHABLE_MS = 5 * 60_000;
const REFUSED_MS = 60 * 60_000;
/** Name of the test-mode sink as a folder. */
const SINK = 'sink';

/** Reads new mail from the inbox of one mailbox at a time. */
@Injectable()
export class InboxReader extends WorkHandler<TurnKey> {
  constructor(
    private readonly database: Database,
    private readonly leases: ReadingLeaseStore,
    private readonly mails: InboundMailStore,
    private readonly reader: MailboxReader,
    private readonly domains: DomainRecords,
    private readonly secrets: SealedSecrets,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(OUTREACH_RECEIVE, logger);
  }

  takeDue(): Promise<TurnKey[]> {
    return this.leases.takeDue();
  }

  protected async performWork(turn: TurnKey): Promise<TurnEnd> {
    const lease = await this.leases.claimTurn(turn);
    if (!lease) return 'idle';
    const renewed = { renew: () => this.leases.renewLease(lease) };
    const guard = new LeaseGuard(renewed, leaseTiming(OUTREACH_RECEIVE.leaseMs), this.stopping);
    const { signal } = guard;
    let { state } = lease;
    const seen = async (found: FoundMail, next: ReadState): Promise<void> => {
      signal.throwIfAborted();
      if (!(await this.mails.takeMessage(lease, found, await this.readMail(lease, found), next)))
        guard.markLost();
      state = next;
    };
    try {
      const { state: end, hasMore } = await this.readNew(lease, signal, seen);
      if (lease.isDomainOld && lease.imap !== null) await this.lookUpDomain(lease, signal);
      await this.leases.releaseMailbox(lease, end, hasMore ? 0 : READ_EVERY_MS);
      return hasMore ? 'more' : 'idle';
    } catch (error) {
      if (signal.aborted) await this.leases.releaseMailbox(lease, state, 0);
      else if (error instanceof MailboxError) await this.leaveAlone(lease, state, error);
      else throw error;
      return 'idle';
    } finally {
      guard.close();
    }
  }

  private readNew(
    lease: ReadMailbox,
    signal: AbortSignal,
    seen: (found: FoundMail, state: ReadState) => Promise<void>,
  ): Promise<{ state: ReadState; hasMore: boolean }> {
    if (lease.imap === null || lease.sealedSecrets === null) return this.readSink(lease, seen);
    const { imap_password: password } = openMailboxSecrets(this.secrets, lease, lease.sealedSecrets);
    const options = { days: DAYS, limit: MAILS_PER_TURN, signal };
    return this.reader.readNew({ ...lease.imap, password }, lease.state, options, seen);
  }

  private async readSink(
    lease: ReadMailbox,
    seen: (found: FoundMail, state: ReadState) => Promise<void>,
  ): Promise<{ state: ReadState; hasMore: boolean }> {
    const ctx = workCtx(OUTREACH_RECEIVE, lease);
    let { state } = lease;
    const params = [tenantOf(ctx), lease.id, state[SINK]?.uidnext ?? 0, MAILS_PER_TURN] as const;
    const rows = await this.database.query(ctx, SINK_MAILS, params);
    for (const { uid: text, raw } of rows) {
      const uid = Number(text);
      state = { ...state, [SINK]: { uidvalidity: 1, uidnext: uid + 1 } };
      const found = { folder: SINK, uidvalidity: 1, uid, raw: Buffer.from(raw), isSent: false };
      await seen(found, state);
    }
    return { state, hasMore: rows.length === MAILS_PER_TURN };
  }

  /** @returns null for a mail that cannot be parsed: skipping it lets the following ones be read */
  private async readMail(lease: ReadMailbox, { raw, folder, uid }: FoundMail) {
    return readInbound(raw, { address: lease.address }).catch((error: unknown) => {
      this.logger.warn({ err: error, mailboxId: lease.id, folder, uid }, 'a mail could not be read');
      return null;
    });
  }

  private async leaveAlone(
    lease: ReadMailbox,
    state: ReadState,
    { reason, message }: MailboxError,
  ): Promise<void> {
    if (reason !== 'connection') await this.leases.failReading(lease, message);
    await this.leases.releaseMailbox(lease, state, reason === 'connection' ? UNREACHABLE_MS : REFUSED_MS);
  }

  private async lookUpDomain(lease: ReadMailbox, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const domain = lease.address.slice(lease.address.lastIndexOf('@') + 1);
    await this.leases.keepDomain(lease, await this.domains.checkDomain(domain, lease.dkimSelector));
  }
}

const SINK_MAILS = statement(
  'inbox-reader.sinkMails',
  `SELECT k.uid, k.raw FROM outreach.sink_mails k WHERE ${ofTenant('k')} AND k.mailbox_id = $2 AND k.uid >= $3
   ORDER BY k.uid LIMIT $4`,
);
