import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ProviderChangeRequest, ProviderItem, ProviderList, PROVIDERS_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, Documented, JsonRoute, RequestCtx } from '@quarry/http';

/** Serves vendors, and the organisation's own keys for them. */
@Controller('v1/providers')
export class ProvidersController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'providers.list', command: 'providers' },
    summary: 'Lists the vendors of the catalogue, and whose key is used for each.',
    answers: { 200: { description: 'The vendors.', body: ProviderList } },
  })
  @Get()
  @JsonRoute()
  listProviders(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, PROVIDERS_RPC.list, {});
  }

  @Documented({
    client: { sdk: 'providers.set' },
    summary: 'Stores your own API key of a vendor, or switches the vendor on or off for your organisation.',
    description:
      'The key is stored encrypted and never shown again. Vendors with a free check are asked first, and a key that they refuse is not stored. An answer obtained with it costs at most 0.1 credit. Settings made with a test key have no effect: test keys use the sandbox.',
    answers: { 200: { description: 'The changed vendor.', body: ProviderItem } },
    errors: ['not_found'],
    path: { id: 'The vendor.' },
    example: { enabled: true },
  })
  @Put(':id')
  @JsonRoute({ role: 'owner', body: BODIES.ordinary })
  setProvider(
    @RequestCtx() ctx: Ctx,
    @Param('id') id: string,
    @Body(bodyOf(ProviderChangeRequest)) { key, enabled }: ProviderChangeRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, PROVIDERS_RPC.set, { id, key: key ?? null, enabled: enabled ?? null });
  }

  @Documented({
    client: { sdk: 'providers.delete' },
    summary: 'Deletes your own key and your switch of a vendor.',
    description: 'Answers the same when there was nothing to delete.',
    answers: { 200: { description: 'The changed vendor.', body: ProviderItem } },
    errors: ['not_found'],
    path: { id: 'The vendor.' },
  })
  @Delete(':id')
  @JsonRoute({ role: 'owner' })
  deleteProvider(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, PROVIDERS_RPC.remove, { id });
  }
}
