import { Injectable } from '@nestjs/common';
import { AppError } from '@quarry/error-codes';
import { CursorSigner, type Ctx, type CursorBinding } from '@quarry/app';
import { Database, recordAudit, tenantOf } from '@quarry/postgres';
import { notFound } from '../sql/not-found.js';
import { ExportsStore } from './exports.store.js';

const HOUR_MS = 3_600_000;

/** An export that whoever has the link may download. */
export interface LinkedExport {
  orgId: string;
  mode: 'live' | 'test';
  exportId: string;
}

/**
 * Links that open one export to whoever has them, until they expire: a spreadsheet has no key. Nothing is kept of a link; it names
 * the export, and a signature binds both to the time.
 */
@Injectable()
export class ExportLinks {
  constructor(
    private readonly database: Database,
    private readonly exports: ExportsStore,
    private readonly signer: CursorSigner,
  ) {}

  /**
   * Makes a link and notes in the audit log that somebody has.
   * @param hours how long it opens the export
   * @returns what follows `/v1/links/` in its address, and when it expires
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

  /** @returns what a link opens. @throws AppError export_not_found for one that is wrong or has expired */
  openLink(token: string): LinkedExport {
    const [orgId = '', mode = '', exportId = '', signature = ''] = token.split('.');
    if (mode !== 'live' && mode !== 'test') throw notFound.export();
    const expires = this.signer.openCursor(bindingOf({ orgId, mode }, exportId), signature);
    if (expires === null) throw notFound.export();
    if (Number.parseInt(expires, 36) < Date.now())
      throw new AppError('export_not_found', 'This link has expired: make another one.');
    return { orgId, mode, exportId };
  }
}

function bindingOf(tenant: Pick<Ctx, 'orgId' | 'mode'>, exportId: string): CursorBinding {
  return { tenant: tenantOf(tenant), endpoint: 'exports.link', subject: exportId };
}
