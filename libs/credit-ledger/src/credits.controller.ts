import { Controller } from '@nestjs/common';
import { SERVICES_RPC, type JsonText, type RequestOf } from '@quarry/dto';
import { Answers, type Ctx } from '@quarry/platform';
import { CreditLedger } from './credit-ledger.js';
import { CreditStatements } from './credit-statements.js';
import { toCredits } from './credits.js';
import { SpendLimitStore } from './spend-limits.js';

/** Balance, caps and statement of an organisation. */
@Controller()
export class CreditsController {
  constructor(
    private readonly ledger: CreditLedger,
    private readonly statements: CreditStatements,
    private readonly limits: SpendLimitStore,
  ) {}

  @Answers(SERVICES_RPC.getCredits)
  async balance(ctx: Ctx): Promise<JsonText> {
    const { available, reserved, updatedAt } = await this.ledger.balance(ctx);
    return JSON.stringify({
      remaining: toCredits(available),
      reserved: toCredits(reserved),
      balance: toCredits(available + reserved),
      updated_at: updatedAt.toISOString(),
    });
  }

  @Answers(SERVICES_RPC.getLimits)
  async spendLimits(ctx: Ctx): Promise<JsonText> {
    const [organisation, key] = await Promise.all([
      this.limits.read(ctx, null),
      // A call without a key, as the system makes it, has the key of nobody.
      this.limits.read(ctx, ctx.keyId ?? '-'),
    ]);
    return JSON.stringify({ organisation, key });
  }

  @Answers(SERVICES_RPC.listLedger)
  listEntries(ctx: Ctx, query: RequestOf<typeof SERVICES_RPC.listLedger>): Promise<JsonText> {
    return this.statements.list(ctx, query);
  }
}
