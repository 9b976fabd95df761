import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { CursorSigner, notFound, type Ctx } from '@quarry/app';
import { Database, recordAudit, tenantOf } from '@quarry/postgres';
import { ExportsStore } from './exports.store.js';

const HOUR_MS = 3_600_000;

/** An export that anyone with the link may download. */
export interface LinkedExport {
  orgId: string;
  mode: 'live' | 'test';
  exportId: string;
}

/**
 * Links that let anyone who has them download one export until they expire, for spreadsheets, which send no key. Links are not
 * stored: a link names the export and is signed together with its time of expiry.
 */
@Injectable()
export class ExportLinks {
  constructor(
    private readonly database: Database,
    private readonly exports: ExportsStore,
    private readonly signer: CursorSigner,
  ) {}

  /**
   * Creates a link and records that in the audit log.
   * @param hours until it expires
   * @returns the part of its address after `/v1/links/`, and its time of expiry
   * @throws AppError export_not_found
   */
  async createLink(ctx: Ctx, exportId: string, hours: number): Promise<{ token: string; expiresAt: string }> {
    const { id } = await this.exports.findExport(ctx, exportId);
    const expiresAt = Date.now() + hours * HOUR_MS;
    const signature = this.signer.signCursor(bindingOf(ctx, id), expiresAt.toString(36));
    await this.database.transaction(ctx, (tx) =>
      recordAudit(this.database, tx, { action: 'export.link_created', object: id, facts: { hours } }),
    );
    return {
      token: `${ctx.orgId}.${ctx.mode}.${id}.${signature}`,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  /** @returns the export of a link @throws AppError export_not_found for a link that is invalid or has expired */
  openLink(token: string): LinkedExport {
    const [orgId = '', mode = '', exportId = '', signature = ''] = token.split('.');
    if (mode !== 'live' && mode !== 'test') throw notFound('exp');
    const expires = this.signer.openCursor(bindingOf({ orgId, mode }, exportId), signature);
    if (expires === null) throw notFound('exp');
    if (Number.parseInt(expires, 36) < Date.now())
      throw new AppError('export_not_found', 'This link has expired. Create a new one.');
    return { orgId, mode, exportId };
  }
}

function bindingOf(tenant: Pick<Ctx, 'orgId' | 'mode'>, exportId: string) {
  return { tenant: tenantOf(tenant), endpoint: 'exports.link', subject: exportId };
}
