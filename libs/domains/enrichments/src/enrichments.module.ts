import { Module } from '@nestjs/common';
import { ColumnEnricherModule } from '@quarry/runs';
import { EnrichmentAgent } from './enrichment-agent.js';
import { EnrichmentLeaseStore } from './enrichment-lease.store.js';
import { EnrichmentWaiters } from './enrichment-waiters.js';
import { EnrichmentStore } from './enrichment.store.js';
import { EnrichmentsController } from './enrichments.controller.js';

/** The held reads of this process, for who holds them and for who works on what they wait for. */
@Module({ providers: [EnrichmentWaiters], exports: [EnrichmentWaiters] })
class EnrichmentWaitersModule {}

/** Accepts, reads and cancels enrichments; works on none. Wants {@link EnrichableRowsPort} from a global module. */
@Module({
  imports: [EnrichmentWaitersModule],
  controllers: [EnrichmentsController],
  providers: [EnrichmentStore],
})
export class EnrichmentsModule {}

/**
 * Has what works on enrichments. Their hints are on the queue of runs, so that the agent's module gives it its turns:
 * `RunAgentModule.forRoot(ENRICHMENT_WORK)`. Wants {@link EnrichableRowsPort} and the ports of runs from global modules.
 */
@Module({
  imports: [EnrichmentWaitersModule, ColumnEnricherModule],
  providers: [EnrichmentLeaseStore, EnrichmentAgent],
  exports: [EnrichmentAgent],
})
class EnrichmentAgentModule {}

/** Enrichments, for the agent that consumes the queue of runs. */
export const ENRICHMENT_WORK = { imports: [EnrichmentAgentModule], handlers: [EnrichmentAgent] };
