import { Controller } from '@nestjs/common';
import { jsonText, ProviderItem, ProviderList, PROVIDERS_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { VendorChoices } from './vendor-choices.js';

type Rpc = typeof PROVIDERS_RPC;

/** Handles the calls in which organisations read and change their vendor choices. */
@Controller()
export class VendorChoicesController {
  constructor(private readonly choices: VendorChoices) {}

  @Answers(PROVIDERS_RPC.list)
  async listChoices(ctx: Ctx) {
    return jsonText(ProviderList, { items: await this.choices.listChoices(ctx) });
  }

  /** @throws AppError not_found, invalid_request */
  @Answers(PROVIDERS_RPC.set)
  async setChoice(ctx: Ctx, { id, key, enabled }: RequestOf<Rpc['set']>) {
    const change = { key: key ?? undefined, enabled: enabled ?? undefined };
    return jsonText(ProviderItem, await this.choices.setChoice(ctx, id, change));
  }

  /** @throws AppError not_found */
  @Answers(PROVIDERS_RPC.remove)
  async removeChoice(ctx: Ctx, { id }: RequestOf<Rpc['remove']>) {
    return jsonText(ProviderItem, await this.choices.removeChoice(ctx, id));
  }
}
