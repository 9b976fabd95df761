import { Controller } from '@nestjs/common';
import { Balance, jsonText, SERVICES_RPC, SpendLimits, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { CreditLedger } from './credit-ledger.js';
import { CreditStatements } from './credit-statements.js';
import { toCredits } from './credits.js';
import { SpendLimitStore } from './spend-limits.js';

/** Handles the calls for balance, caps and statement of an organisation. */
@Controller()
export class CreditsController {
  constructor(
    private readonly ledger: CreditLedger,
    private readonly statements: CreditStatements,
    private readonly limits: SpendLimitStore,
  ) {}

  @Answers(SERVICES_RPC.getCredits)
  async getBalance(ctx: Ctx) {
    const { available, reserved, updatedAt } = await this.ledger.readBalance(ctx);
    return jsonText(Balance, {
      remaining: toCredits(available),
      reserved: toCredits(reserved),
      balance: toCredits(available + reserved),
      updated_at: updatedAt.toISOString(),
    });
  }

  @Answers(SERVICES_RPC.getLimits)
  async spendLimits(ctx: Ctx) {
    const [organisation, key] = await Promise.all([
      this.limits.readLimit(ctx, null),
      // System calls have no API key. No key has this id, so the caps are empty.
      this.limits.readLimit(ctx, ctx.keyId ?? '-'),
    ]);
    return jsonText(SpendLimits, { organisation, key });
  }

  @Answers(SERVICES_RPC.listLedger)
  listEntries(ctx: Ctx, query: RequestOf<typeof SERVICES_RPC.listLedger>) {
    return this.statements.listEntries(ctx, query);
  }

  @Answers(SERVICES_RPC.sumUsage)
  sumUsage(ctx: Ctx, { by, days }: RequestOf<typeof SERVICES_RPC.sumUsage>) {
    return this.statements.sumUsage(ctx, by, days);
  }

  @Answers(SERVICES_RPC.costOfJob)
  costOfJob(ctx: Ctx, { jobId }: RequestOf<typeof SERVICES_RPC.costOfJob>) {
    return this.statements.costOfJob(ctx, jobId);
  }
}
