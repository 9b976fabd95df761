import { Controller, Module } from '@nestjs/common';
import { ERASURES_RPC, type RequestOf, type ResponseOf } from '@quarry/dto';
import { Answers, type Ctx } from '@quarry/platform';
import { PersonErasure } from './person-erasure.js';

/** Erases people from every room. */
@Controller()
class ErasuresController {
  constructor(private readonly erasure: PersonErasure) {}

  @Answers(ERASURES_RPC.erasePerson)
  erase(
    ctx: Ctx,
    { person, idempotencyKey = null }: RequestOf<typeof ERASURES_RPC.erasePerson>,
  ): Promise<ResponseOf<typeof ERASURES_RPC.erasePerson>> {
    return this.erasure.erase(ctx, person, idempotencyKey);
  }
}

/** Answers the call for erasing a person. Only for a process that may write in all rooms. */
@Module({ controllers: [ErasuresController], providers: [PersonErasure] })
export class ErasuresModule {}
