import { Controller } from '@nestjs/common';
import { RUNS_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { ColumnLookupStore } from './column-lookups.store.js';
import { EnrichmentStore } from './enrichment.store.js';

type Rpc = typeof RUNS_RPC;

/** Handles the calls for enrichments: columns of live tables that services fill. */
@Controller()
export class EnrichmentsController {
  constructor(
    private readonly enrichments: EnrichmentStore,
    private readonly lookups: ColumnLookupStore,
  ) {}

  /** @throws AppError table_not_found, not_found (view), invalid_request, idempotency_conflict */
  @Answers(RUNS_RPC.createEnrichment)
  createEnrichment(ctx: Ctx, request: RequestOf<Rpc['createEnrichment']>) {
    return this.enrichments.createEnrichment(ctx, request);
  }

  /** @throws AppError table_not_found, not_found (view), invalid_request */
  @Answers(RUNS_RPC.estimateEnrichment)
  estimateEnrichment(ctx: Ctx, request: RequestOf<Rpc['estimateEnrichment']>) {
    return this.enrichments.estimateEnrichment(ctx, request);
  }

  /** @throws AppError not_found */
  @Answers(RUNS_RPC.getEnrichment)
  getEnrichment(ctx: Ctx, { enrichmentId, waitSeconds }: RequestOf<Rpc['getEnrichment']>) {
    return this.enrichments.readEnded(ctx, enrichmentId, waitSeconds * 1000);
  }

  /** @throws AppError not_found */
  @Answers(RUNS_RPC.cancelEnrichment)
  cancelEnrichment(ctx: Ctx, { enrichmentId }: RequestOf<Rpc['cancelEnrichment']>) {
    return this.enrichments.cancelEnrichment(ctx, enrichmentId);
  }

  /** @throws AppError table_not_found, not_found for a column */
  @Answers(RUNS_RPC.getColumn)
  getColumn(ctx: Ctx, { tableId, key }: RequestOf<Rpc['getColumn']>) {
    return this.lookups.readColumn(ctx, tableId, key);
  }
}
