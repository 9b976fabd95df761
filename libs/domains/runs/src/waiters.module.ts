import { Module } from '@nestjs/common';
import { EnrichmentWaiters } from './enrichments/enrichment-waiters.js';
import { RunWaiters } from './run-waiters.js';

const waiters = [RunWaiters, EnrichmentWaiters];

/** The held reads of this process, for who holds them and for who works on what they wait for. */
@Module({ providers: waiters, exports: waiters })
export class WaitersModule {}
