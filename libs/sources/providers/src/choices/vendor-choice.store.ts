import { Injectable } from '@nestjs/common';
import type { Ctx } from '@quarry/app';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Stored settings of an organisation for one vendor. */
export interface VendorChoice {
  vendor: string;
  /** False disables the vendor for this organisation. */
  enabled: boolean;
  /** Encrypted key and the hint that is shown; null when only `enabled` was set. */
  key: { sealed: string; hint: string } | null;
}

/** Stores the vendor choices of organisations, separately for live and test keys. Vendor keys are passed encrypted. */
@Injectable()
export class VendorChoiceStore {
  constructor(private readonly database: Database) {}

  /** @returns the choices of the context's organisation and mode, unordered */
  async listChoices(ctx: Ctx | TxCtx): Promise<VendorChoice[]> {
    const rows = await this.database.query(ctx, LIST, [tenantOf(ctx)], 'read');
    return rows.map(({ vendor, enabled, sealed_key: sealed, key_hint: hint }) => ({
      vendor,
      enabled,
      key: sealed === null || hint === null ? null : { sealed, hint },
    }));
  }

  /** Creates or updates a choice; null leaves a value unchanged, and a new choice is enabled. */
  async setChoice(
    ctx: Ctx | TxCtx,
    vendor: string,
    { enabled, key }: { enabled: boolean | null; key: VendorChoice['key'] },
  ): Promise<void> {
    const { sealed = null, hint = null } = key ?? {};
    await this.database.query(ctx, SET, [tenantOf(ctx), vendor, enabled, sealed, hint]);
  }

  /** @returns whether a key was deleted with it; null when there was no choice */
  async removeChoice(ctx: Ctx | TxCtx, vendor: string): Promise<{ hadKey: boolean } | null> {
    const row = await this.database.queryOne(ctx, REMOVE, [tenantOf(ctx), vendor]);
    return row && { hadKey: row.had_key };
  }
}

const LIST = statement(
  'vendor-choice.list',
  `SELECT vendor, enabled, sealed_key, key_hint FROM identity.vendor_choices WHERE ${ofTenant()}`,
).prepared();

const SET = statement(
  'vendor-choice.set',
  `
  INSERT INTO identity.vendor_choices AS c (org_id, mode, vendor, enabled, sealed_key, key_hint)
  VALUES (${TENANT}, $2, coalesce($3, true), $4, $5)
  ON CONFLICT (org_id, mode, vendor) DO UPDATE SET
    enabled = coalesce($3, c.enabled),
    sealed_key = coalesce(excluded.sealed_key, c.sealed_key),
    key_hint = coalesce(excluded.key_hint, c.key_hint),
    changed_at = clock_timestamp()`,
);

const REMOVE = statement(
  'vendor-choice.remove',
  `DELETE FROM identity.vendor_choices WHERE ${ofTenant()} AND vendor = $2 RETURNING sealed_key IS NOT NULL AS had_key`,
).rows<{ had_key: boolean }>();
