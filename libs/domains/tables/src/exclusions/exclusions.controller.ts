import { Controller } from '@nestjs/common';
import { TABLES_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { ExclusionsStore } from './exclusions.store.js';

type Rpc = typeof TABLES_RPC;

/** Answers calls about companies and people that must never be sourced. */
@Controller()
export class ExclusionsController {
  constructor(private readonly exclusions: ExclusionsStore) {}

  @Answers(TABLES_RPC.listExclusions)
  listEntries(ctx: Ctx, query: RequestOf<Rpc['listExclusions']>) {
    return this.exclusions.listEntries(ctx, query);
  }

  @Answers(TABLES_RPC.addExclusions)
  addEntries(ctx: Ctx, request: RequestOf<Rpc['addExclusions']>) {
    return this.exclusions.addEntries(ctx, request);
  }

  @Answers(TABLES_RPC.deleteExclusions)
  deleteEntries(ctx: Ctx, request: RequestOf<Rpc['deleteExclusions']>) {
    return this.exclusions.deleteEntry(ctx, request);
  }

  @Answers(TABLES_RPC.syncExclusions)
  syncEntries(ctx: Ctx, request: RequestOf<Rpc['syncExclusions']>) {
    return this.exclusions.syncEntries(ctx, request);
  }
}
