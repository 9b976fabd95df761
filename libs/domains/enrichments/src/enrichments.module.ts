import { Module } from '@nestjs/common';
import { ColumnEnricherModule } from '@quarry/runs';
import { ColumnLookupStore } from './column-lookups.store.js';
import { EnrichmentAgent } from './enrichment-agent.js';
import { EnrichmentLeaseStore } from './enrichment-lease.store.js';
import { EnrichmentWaiters } from './enrichment-waiters.js';
import { EnrichmentStore } from './enrichment.store.js';
import { EnrichmentsController } from './enrichments.controller.js';

/** Held reads of this process, for the API that holds them and for the agent whose work ends them. */
@Module({ providers: [EnrichmentWaiters], exports: [EnrichmentWaiters] })
class EnrichmentWaitersModule {}

/** Creates, reads and cancels enrichments without processing them. Requires {@link EnrichableRowsPort} from a global module. */
@Module({
  imports: [EnrichmentWaitersModule],
  controllers: [EnrichmentsController],
  providers: [EnrichmentStore, ColumnLookupStore],
})
export class EnrichmentsModule {}

/**
 * Provides the agent that processes enrichments. Their messages are on the queue of runs, so the run agent's module
 * dispatches them: `RunAgentModule.forRoot(ENRICHMENT_WORK)`. Requires {@link EnrichableRowsPort} and the ports of runs
 * from global modules.
 */
@Module({
  imports: [EnrichmentWaitersModule, ColumnEnricherModule],
  providers: [EnrichmentLeaseStore, EnrichmentAgent],
  exports: [EnrichmentAgent],
})
class EnrichmentAgentModule {}

/** Enrichments, for the agent that consumes the queue of runs. */
export const ENRICHMENT_WORK = { imports: [EnrichmentAgentModule], handlers: [EnrichmentAgent] };
