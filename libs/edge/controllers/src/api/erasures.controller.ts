import { Body, Controller, Post } from '@nestjs/common';
import { ErasureReceipt, ErasureRequest, ERASURES_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, Documented, IdempotencyKey, JsonRoute, RequestCtx } from '@quarry/http';

/** Serves erasures: people whose data must be deleted. */
@Controller('v1/erasures')
export class ErasuresController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'exclusions.erasePerson' },
    summary: 'Erases a person.',
    description:
      'Erases the person from everything that the organisation has. Give an e-mail address, a LinkedIn address, or a name and a company.',
    answers: { 201: { description: 'The receipt.', body: ErasureReceipt } },
    example: { email: 'ada@analytical.example' },
  })
  @Post()
  @JsonRoute({ role: 'owner', body: BODIES.ordinary })
  erasePerson(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(ErasureRequest)) person: ErasureRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, ERASURES_RPC.erasePerson, { person: { ...person }, idempotencyKey });
  }
}
