import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { RpcTransport } from '@quarry/platform';
import { ErasuresController } from './controllers/erasures.controller.js';
import { ExclusionsController } from './controllers/exclusions.controller.js';
import { ExportsController } from './controllers/exports.controller.js';
import { HealthController } from './controllers/health.controller.js';
import { OpenApiController } from './controllers/open-api.controller.js';
import { RunsController } from './controllers/runs.controller.js';
import { ServiceJobsController } from './controllers/service-jobs.controller.js';
import { ServicesController } from './controllers/services.controller.js';
import { TablesController } from './controllers/tables.controller.js';
import { WorkspacesController } from './controllers/workspaces.controller.js';
import { openApiDocument } from '../openapi/open-api-document.js';
import type { HeldReads } from './held-reads.js';
import { HELD_READS, IS_STUCK, OPEN_API, READINESS, RPC, type ReadinessChecks } from './tokens.js';

/** Every route of the public API is in one of these. */
export const CONTROLLERS: readonly Type[] = [
  RunsController,
  ExportsController,
  WorkspacesController,
  TablesController,
  ErasuresController,
  ExclusionsController,
  ServiceJobsController,
  ServicesController,
  HealthController,
  OpenApiController,
];

/** All routes of the public API over one RPC transport. */
@Module({})
export class HttpApiModule {
  static over(
    rpc: RpcTransport,
    probes: { readiness: ReadinessChecks; isStuck: () => boolean },
    heldReads: HeldReads,
  ): DynamicModule {
    return {
      module: HttpApiModule,
      controllers: [...CONTROLLERS],
      providers: [
        { provide: RPC, useValue: rpc },
        { provide: HELD_READS, useValue: heldReads },
        { provide: OPEN_API, useValue: () => openApiDocument(CONTROLLERS) },
        { provide: READINESS, useValue: probes.readiness },
        { provide: IS_STUCK, useValue: probes.isStuck },
      ],
    };
  }
}
