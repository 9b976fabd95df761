import { createPrivateKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  faultsError,
  Mailbox,
  MailboxPage,
  MAILBOXES_MAX,
  OUTREACH_RPC,
  parseResource,
  requireExpected,
  type Actor,
  type ChangeMailboxRequest,
  type ConnectMailboxRequest,
  type JsonText,
  type MailServerRequest,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import {
  CursorSigner,
  newId,
  requireId,
  SealedSecrets,
  notFound,
  type Ctx,
  type PageQuery,
} from '@quarry/app';
import { DomainRecords, MailboxReader, MailTransport, type MailServer } from '@quarry/mail';
import {
  Database,
  isoTime,
  lockTenant,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
  violatedConstraint,
  type TxCtx,
} from '@quarry/postgres';
import { PLACE, partsOf, placeOf } from '../list-cursor.js';
import { mailAddress } from '../mail-address.js';
import { isTimeZone } from '../time-zone.js';
import { statement } from '../statements.types.js';
import { limitOfDay, startedOnDay } from './mailbox-day.sql.js';
import {
  mailboxBinding,
  openMailboxSecrets,
  type KnownServer,
  type MailboxSecrets,
} from './mailbox-secrets.js';

/** Source: docs/outreach.md. */
const DAILY_LIMIT = 50;
const GAP_SECONDS = { live: 60, test: 0 };
/** Milliseconds for logging in to both servers. */
const LOGIN_MS = 20_000;

/** Mailboxes as the API shows them: connects, reads, changes and removes them. */
@Injectable()
export class MailboxStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
    private readonly secrets: SealedSecrets,
    private readonly transport: MailTransport,
    private readonly reader: MailboxReader,
    private readonly domains: DomainRecords,
  ) {}

  /** Returns one page of mailboxes, newest first. @throws AppError invalid_cursor */
  async listMailboxes(ctx: Ctx, page: PageQuery): Promise<JsonText<typeof MailboxPage>> {
    const binding = { tenant: tenantOf(ctx), endpoint: OUTREACH_RPC.listMailboxes.pattern, subject: '' };
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), ...partsOf(after), limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(MailboxPage, items, next);
  }

  /**
   * Connects a mailbox after both servers have accepted its login; in test mode there are none.
   * @throws AppError invalid_request naming the server that refused and why, for an address that is connected already, above the
   * limit of mailboxes, and when no encryption key is configured
   */
  async connectMailbox(
    ctx: Ctx,
    actor: Actor,
    body: ConnectMailboxRequest,
  ): Promise<JsonText<typeof Mailbox>> {
    const address = mailAddress(body.address);
    if (address === null) throw fieldError(['address'], 'address must be an e-mail address');
    validateTimeZone(body.time_zone);
    validateDkim(body);
    const servers = this.requireServers(ctx, body);
    if (servers) await this.tryLogins(servers.smtp, servers.imap);
    const domain = servers && (await this.domainOf(address, body.dkim?.selector ?? null));
    const id = newId('mbx');
    const sealed =
      servers &&
      this.sealSecrets(ctx, id, {
        smtp_password: servers.smtp.password,
        imap_password: servers.imap.password,
        dkim_key: body.dkim?.private_key ?? null,
      });
    const made = this.database.transaction(ctx, async (tx) => {
      await lockTenant(this.database, tx, 'mailboxes');
      const row = await this.database.queryOne(tx, INSERT, [
        tenantOf(tx),
        id,
        address,
        body.name ?? null,
        servers && identityOf(servers.smtp),
        servers && identityOf(servers.imap),
        sealed,
        body.dkim?.selector ?? null,
        body.daily_limit ?? DAILY_LIMIT,
        body.ramp_up ?? true,
        body.gap_seconds ?? GAP_SECONDS[tx.mode],
        body.time_zone ?? 'UTC',
        domain,
        MAILBOXES_MAX,
      ]);
      if (!row) throw fieldError([], `there are already ${MAILBOXES_MAX} mailboxes, which is the limit`);
      await recordAudit(this.database, tx, {
        action: 'mailbox.connected',
        object: id,
        facts: { user: actor.userId },
      });
    });
    await made.catch((error: unknown) => {
      if (violatedConstraint(error) !== 'mailbox_addresses') throw error;
      throw fieldError(['address'], 'address is already connected');
    });
    return this.readMailbox(ctx, id);
  }

  /**
   * Changes the fields of the body. New server settings are tried first, and so are existing ones when a mailbox is resumed.
   * @throws AppError not_found; version_conflict; invalid_request like {@link connectMailbox}
   */
  async changeMailbox(
    ctx: Ctx,
    actor: Actor,
    mailboxId: string,
    body: ChangeMailboxRequest,
  ): Promise<JsonText<typeof Mailbox>> {
    const id = requireId('mbx', mailboxId);
    validateTimeZone(body.time_zone);
    validateDkim(body);
    const now = await this.database.queryOne(ctx, SETTINGS, [tenantOf(ctx), id]);
    if (!now) throw notFound('mbx');
    const isConcerned = body.smtp !== undefined || body.imap !== undefined || body.dkim !== undefined;
    if (ctx.mode === 'test' && isConcerned)
      throw fieldError([], 'servers and keys must be left out in test mode: nothing is sent');
    if (isConcerned) this.requireKeys();
    if (now.sealed_secrets !== null && (isConcerned || body.status === 'connected'))
      await this.tryLogins(...this.serversOf(ctx, id, now, body));
    const domain =
      body.dkim === undefined ? null : await this.domainOf(now.address, body.dkim?.selector ?? null);
    await this.database.transaction(ctx, async (tx) => {
      const known = await this.lockMailbox(tx, id);
      requireExpected(parseResource(known.json), body.expected);
      const before = isConcerned ? known : null;
      const sealed = before && this.resealSecrets(tx, id, before.sealed_secrets, body);
      // Both logins were accepted just now, so a failing mailbox can resume. A paused one stays paused.
      const status = body.status ?? (before?.status === 'failing' ? 'connected' : null);
      await this.database.query(tx, CHANGE, [
        tenantOf(tx),
        id,
        body.name ?? null,
        body.smtp ? identityOf(body.smtp) : null,
        body.imap ? identityOf(body.imap) : null,
        sealed,
        body.dkim?.selector ?? null,
        body.daily_limit ?? null,
        body.ramp_up ?? null,
        body.gap_seconds ?? null,
        body.time_zone ?? null,
        status,
        domain,
        body.name === null,
        body.dkim === null,
      ]);
      const facts = { user: actor.userId, status, servers: isConcerned };
      await recordAudit(this.database, tx, { action: 'mailbox.changed', object: id, facts });
    });
    return this.readMailbox(ctx, id);
  }

  /** Removes a mailbox: deletes its secrets, and stops sending from it. Its threads stay. @throws AppError not_found */
  async removeMailbox(ctx: Ctx, actor: Actor, mailboxId: string): Promise<void> {
    const id = requireId('mbx', mailboxId);
    await this.database.transaction(ctx, async (tx) => {
      if (!(await this.database.queryOne(tx, REMOVE, [tenantOf(tx), id]))) throw notFound('mbx');
      await recordAudit(this.database, tx, {
        action: 'mailbox.removed',
        object: id,
        facts: { user: actor.userId },
      });
    });
  }

  private async readMailbox(ctx: Ctx, id: string): Promise<JsonText<typeof Mailbox>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id], 'read');
    if (!row) throw notFound('mbx');
    return row.json;
  }

  /** @throws AppError invalid_request naming each server that refuses the login */
  private async tryLogins(smtp: MailServer, imap: MailServer): Promise<void> {
    const signal = AbortSignal.timeout(LOGIN_MS);
    const [sending, reading] = await Promise.all([
      this.transport.tryLogin(smtp, signal),
      this.reader.tryLogin(imap, signal),
    ]);
    const faults = [
      ...(sending === null ? [] : [{ path: ['smtp'], message: `smtp: ${sending}` }]),
      ...(reading === null ? [] : [{ path: ['imap'], message: `imap: ${reading}` }]),
    ];
    if (faults.length > 0) throw faultsError('resources', faults);
  }

  private async domainOf(address: string, selector: string | null): Promise<string> {
    return JSON.stringify(
      await this.domains.checkDomain(address.slice(address.lastIndexOf('@') + 1), selector),
    );
  }

  /** Merges the changed server settings with the existing ones. */
  private serversOf(
    ctx: Ctx,
    mailboxId: string,
    { smtp, imap, sealed_secrets: sealed }: (typeof SETTINGS)['types']['row'],
    body: ChangeMailboxRequest,
  ): [MailServer, MailServer] {
    const opened = openMailboxSecrets(this.secrets, { ...ctx, id: mailboxId }, sealed!);
    return [
      body.smtp ?? { ...(smtp as KnownServer), password: opened.smtp_password },
      body.imap ?? { ...(imap as KnownServer), password: opened.imap_password },
    ];
  }

  /** Locks a mailbox, so that the second of two concurrent changes keeps what the first has set. @throws AppError not_found */
  private async lockMailbox(tx: TxCtx, mailboxId: string): Promise<(typeof LOCK)['types']['row']> {
    const row = await this.database.queryOne(tx, LOCK, [tenantOf(tx), mailboxId]);
    if (!row) throw notFound('mbx');
    return row;
  }

  private resealSecrets(
    tx: TxCtx,
    mailboxId: string,
    sealed: string | null,
    body: ChangeMailboxRequest,
  ): string {
    const before = openMailboxSecrets(this.secrets, { ...tx, id: mailboxId }, sealed!);
    return this.sealSecrets(tx, mailboxId, {
      smtp_password: body.smtp?.password ?? before.smtp_password,
      imap_password: body.imap?.password ?? before.imap_password,
      dkim_key: body.dkim === undefined ? before.dkim_key : (body.dkim?.private_key ?? null),
    });
  }

  private sealSecrets(ctx: Ctx, mailboxId: string, secrets: MailboxSecrets): string {
    return this.secrets.sealSecret(mailboxBinding({ ...ctx, id: mailboxId }), JSON.stringify(secrets));
  }

  /** @returns both servers of a live mailbox; null in test mode @throws AppError invalid_request */
  private requireServers(
    { mode }: Ctx,
    { smtp, imap }: ConnectMailboxRequest,
  ): { smtp: MailServerRequest; imap: MailServerRequest } | null {
    if (mode === 'live') {
      this.requireKeys();
      if (!smtp) throw fieldError(['smtp'], 'smtp is required');
      if (!imap) throw fieldError(['imap'], 'imap is required');
      return { smtp, imap };
    }
    for (const [name, server] of Object.entries({ smtp, imap }))
      if (server) throw fieldError([name], `${name} must be left out in test mode: nothing is sent`);
    return null;
  }

  private requireKeys(): void {
    if (!this.secrets.canSeal)
      throw fieldError([], 'mailboxes cannot be stored: the operator has not set ENCRYPTION_KEYS');
  }
}

function identityOf({ host, port, security, user }: MailServerRequest): string {
  const server: KnownServer = { host: host.toLowerCase(), port, security, user };
  return JSON.stringify(server);
}

function validateTimeZone(zone: string | undefined): void {
  if (zone === undefined || isTimeZone(zone)) return;
  throw fieldError(['time_zone'], 'time_zone must be an IANA time zone, such as Europe/Berlin');
}

function validateDkim({ dkim }: { dkim?: { private_key: string; selector: string } | null }): void {
  if (!dkim) return;
  if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(dkim.selector))
    throw fieldError(['dkim', 'selector'], 'dkim.selector must be a name in the domain, such as mail2026');
  try {
    createPrivateKey(dkim.private_key);
  } catch {
    throw fieldError(['dkim', 'private_key'], 'dkim.private_key must be a private key in PEM');
  }
}

function fieldError(path: string[], message: string): AppError {
  return faultsError('resources', [{ path, message }]);
}

const IS_IT = `${ofTenant('b')} AND b.id = $2 AND b.status <> 'removed'`;

const JSON_OF = `json_build_object('id', b.id, 'address', b.address, 'name', b.name, 'status', b.status, 'status_reason', b.status_reason,
  'daily_limit', b.daily_limit, 'limit_today', ${limitOfDay('b')}, 'sent_today', ${startedOnDay('b')}, 'ramp_up', b.ramp_up,
  'gap_seconds', b.gap_seconds, 'time_zone', b.time_zone, 'signs', b.dkim_selector IS NOT NULL,
  'domain', CASE WHEN b.domain IS NOT NULL THEN json_build_object('spf', b.domain->'spf', 'dkim', b.domain->'dkim',
    'dmarc', b.domain->'dmarc', 'checked_at', ${isoTime('b.domain_checked_at')}) END,
  'created_at', ${isoTime('b.created_at')})::text AS json`;

const INSERT = statement(
  'mailbox.insert',
  `INSERT INTO outreach.mailboxes (org_id, mode, id, address, name, smtp, imap, sealed_secrets, dkim_selector, daily_limit, ramp_up,
     gap_seconds, time_zone, domain, domain_checked_at)
   SELECT ${TENANT}, $2, $3, $4, $5::json, $6::json, $7, $8, $9, $10, $11, $12, $13::json, CASE WHEN $13::json IS NOT NULL THEN now() END
   WHERE (SELECT count(*) FROM outreach.mailboxes b WHERE ${ofTenant('b')} AND b.status <> 'removed') < $14 RETURNING id`,
);

const LIST = statement(
  'mailbox.list',
  `SELECT ${JSON_OF}, ${PLACE('b.created_at', 'b.id')} FROM outreach.mailboxes b
   WHERE ${ofTenant('b')} AND b.status <> 'removed' AND ($2::timestamptz IS NULL OR (b.created_at, b.id) < ($2, $3::text))
   ORDER BY b.created_at DESC, b.id DESC LIMIT $4`,
).rows<{ json: JsonText<typeof Mailbox>; place: string }>();

const READ = statement('mailbox.read', `SELECT ${JSON_OF} FROM outreach.mailboxes b WHERE ${IS_IT}`).rows<{
  json: JsonText<typeof Mailbox>;
}>();

const SETTINGS = statement(
  'mailbox.settings',
  `SELECT b.address, b.smtp, b.imap, b.sealed_secrets FROM outreach.mailboxes b WHERE ${IS_IT}`,
);

const LOCK = statement(
  'mailbox.lock',
  `SELECT b.status, b.sealed_secrets, ${JSON_OF} FROM outreach.mailboxes b WHERE ${IS_IT} FOR UPDATE OF b`,
).rows<{ json: JsonText<typeof Mailbox> }>();

// New server settings reset failures and the position in the inbox.
const CHANGE = statement(
  'mailbox.change',
  `UPDATE outreach.mailboxes b SET name = CASE WHEN NOT $14::boolean THEN coalesce($3, b.name) END, smtp = coalesce($4::json, b.smtp), imap = coalesce($5::json, b.imap),
     sealed_secrets = coalesce($6, b.sealed_secrets),
     dkim_selector = CASE WHEN NOT $15::boolean THEN coalesce($7, b.dkim_selector) END,
     daily_limit = coalesce($8, b.daily_limit), ramp_up = coalesce($9, b.ramp_up), gap_seconds = coalesce($10, b.gap_seconds),
     time_zone = coalesce($11, b.time_zone), status = coalesce($12, b.status),
     status_reason = CASE $12 WHEN 'connected' THEN NULL WHEN 'paused' THEN 'A person has paused it.' ELSE b.status_reason END,
     failures = CASE WHEN $12 = 'connected' THEN 0 ELSE b.failures END,
     next_send_at = CASE WHEN $12 = 'connected' THEN now() ELSE b.next_send_at END,
     read_at = CASE WHEN $12 = 'connected' OR $5::json IS NOT NULL THEN now() ELSE b.read_at END,
     domain = coalesce($13::json, b.domain), domain_checked_at = CASE WHEN $13::json IS NULL THEN b.domain_checked_at ELSE now() END
   WHERE ${IS_IT}`,
);

const REMOVE = statement(
  'mailbox.remove',
  `UPDATE outreach.mailboxes b SET status = 'removed', status_reason = NULL, sealed_secrets = NULL, smtp = NULL, imap = NULL,
     send_token = NULL, send_until = NULL, read_token = NULL, read_until = NULL
   WHERE ${IS_IT} RETURNING b.id`,
);
