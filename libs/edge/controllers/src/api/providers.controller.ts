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
    id: 'listProviders',
    client: { sdk: 'providers.list', command: 'providers' },
    summary: 'Lists the vendors of the catalogue, with whose key each is asked.',
    answers: { 200: { description: 'The vendors.', body: ProviderList } },
  })
  @Get()
  @JsonRoute()
  listProviders(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, PROVIDERS_RPC.list, {});
  }

  @Documented({
    id: 'setProvider',
    client: { sdk: 'providers.set' },
    summary: 'Keeps your own key at a vendor, or switches the vendor on or off for you.',
    description:
      'The key is kept encrypted and never shown again. An answer that came with it costs 0.1 credit at most. What is set with a test key has no effect: test keys meet the sandbox.',
    answers: { 200: { description: 'The vendor as it stands now.', body: ProviderItem } },
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
    id: 'deleteProvider',
    client: { sdk: 'providers.delete' },
    summary: 'Forgets your own key at a vendor, and your switch.',
    description: 'Answers the same when there was nothing to forget.',
    answers: { 200: { description: 'The vendor as it stands now.', body: ProviderItem } },
    errors: ['not_found'],
    path: { id: 'The vendor.' },
  })
  @Delete(':id')
  @JsonRoute({ role: 'owner' })
  removeProvider(@RequestCtx() ctx: Ctx, @Param('id') id: string): Promise<string> {
    return this.rpc.call(ctx, PROVIDERS_RPC.remove, { id });
  }
}
