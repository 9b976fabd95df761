import { Controller } from '@nestjs/common';
import { TABLES_RPC, type JsonText, type RequestOf } from '@quarry/dto';
import { Answers, type Ctx } from '@quarry/platform';
import { ExclusionsStore } from './exclusions.store.js';

type Rpc = typeof TABLES_RPC;

/** Companies and people that must never be sourced. */
@Controller()
export class ExclusionsController {
  constructor(private readonly exclusions: ExclusionsStore) {}

  @Answers(TABLES_RPC.listExclusions)
  list(ctx: Ctx, query: RequestOf<Rpc['listExclusions']>): Promise<JsonText> {
    return this.exclusions.list(ctx, query);
  }

  @Answers(TABLES_RPC.addExclusions)
  add(ctx: Ctx, request: RequestOf<Rpc['addExclusions']>): Promise<JsonText> {
    return this.exclusions.add(ctx, request);
  }

  @Answers(TABLES_RPC.deleteExclusions)
  delete(ctx: Ctx, request: RequestOf<Rpc['deleteExclusions']>): Promise<JsonText> {
    return this.exclusions.delete(ctx, request);
  }

  @Answers(TABLES_RPC.syncExclusions)
  sync(ctx: Ctx, request: RequestOf<Rpc['syncExclusions']>): Promise<JsonText> {
    return this.exclusions.sync(ctx, request);
  }
}
