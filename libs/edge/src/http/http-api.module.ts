import { Module, type DynamicModule } from '@nestjs/common';
import type { RpcTransport } from '@quarry/platform';
import { ExclusionsController } from './controllers/exclusions.controller.js';
import { ExportsController } from './controllers/exports.controller.js';
import { HealthController } from './controllers/health.controller.js';
import { RunsController } from './controllers/runs.controller.js';
import { ServiceJobsController } from './controllers/service-jobs.controller.js';
import { ServicesController } from './controllers/services.controller.js';
import { TablesController } from './controllers/tables.controller.js';
import { WorkspacesController } from './controllers/workspaces.controller.js';
import type { HeldReads } from './held-reads.js';
import { HELD_READS, READINESS, RPC, type ReadinessChecks } from './tokens.js';

/** All routes of the public API over one RPC transport. */
@Module({})
export class HttpApiModule {
  static over(rpc: RpcTransport, readiness: ReadinessChecks, heldReads: HeldReads): DynamicModule {
    return {
      module: HttpApiModule,
      controllers: [
        RunsController,
        ExportsController,
        WorkspacesController,
        TablesController,
        ExclusionsController,
        ServiceJobsController,
        ServicesController,
        HealthController,
      ],
      providers: [
        { provide: RPC, useValue: rpc },
        { provide: HELD_READS, useValue: heldReads },
        { provide: READINESS, useValue: readiness },
      ],
    };
  }
}
