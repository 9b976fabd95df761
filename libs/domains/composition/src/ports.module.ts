import { Global, Module, type DynamicModule } from '@nestjs/common';
import { EnrichableRowsPort } from '@quarry/enrichments';
import { ExclusionPort as FastExclusionPort } from '@quarry/fast-services';
import { GoKeyAccessPort } from '@quarry/research';
import { IdentityModule, IdentityStore, KeyCapsPort } from '@quarry/identity';
import { ItemRowsPort, MonitorItems } from '@quarry/monitors';
import { ContactColumnsPort, ContactExclusionsPort, EnrollmentRowsPort } from '@quarry/outreach';
import {
  DirectCallsPort,
  ExclusionPort,
  KeyAccessPort,
  MonitorItemsPort,
  PaidLinesPort,
  TableWriterPort,
  WorkspacePort,
} from '@quarry/runs';
import type { RpcTransport } from '@quarry/rpc';
import { ServiceJobsModule } from '@quarry/service-jobs';
import { RunReader, TableWriterModule } from '@quarry/tables';
import { PushRowsPort } from '@quarry/webhooks';
import { DirectCallsAdapter, PaidLinesAdapter } from './agent.adapter.js';
import { KeyCapsAdapter } from './key-caps.adapter.js';
import {
  ContactColumnsAdapter,
  EnrichableRowsAdapter,
  ContactExclusionsAdapter,
  EnrollmentRowsAdapter,
  ExclusionAdapter,
  ItemRowsAdapter,
  PushRowsAdapter,
  RunReaderAdapter,
  TableWriterAdapter,
  WorkspaceAdapter,
} from './tables.adapter.js';

/** Ports through which other libraries access tables. */
@Global()
@Module({ providers: [{ provide: RunReader, useClass: RunReaderAdapter }], exports: [RunReader] })
export class RunReaderModule {}

/** Ports that the tables library needs from others, in its own process. */
@Global()
@Module({
  imports: [TableWriterModule],
  providers: [
    ExclusionAdapter,
    { provide: TableWriterPort, useClass: TableWriterAdapter },
    { provide: EnrichableRowsPort, useClass: EnrichableRowsAdapter },
    { provide: ItemRowsPort, useClass: ItemRowsAdapter },
    { provide: WorkspacePort, useClass: WorkspaceAdapter },
    { provide: ExclusionPort, useExisting: ExclusionAdapter },
    { provide: FastExclusionPort, useExisting: ExclusionAdapter },
    { provide: PushRowsPort, useClass: PushRowsAdapter },
    { provide: ContactExclusionsPort, useClass: ContactExclusionsAdapter },
    { provide: ContactColumnsPort, useClass: ContactColumnsAdapter },
    { provide: EnrollmentRowsPort, useClass: EnrollmentRowsAdapter },
  ],
  exports: [
    TableWriterPort,
    EnrichableRowsPort,
    ItemRowsPort,
    WorkspacePort,
    ExclusionPort,
    FastExclusionPort,
    PushRowsPort,
    ContactExclusionsPort,
    ContactColumnsPort,
    EnrollmentRowsPort,
  ],
})
export class TablePortsModule {}

/** Ports of an agent to the jobs, monitors and identity libraries, and to the services side. */
@Global()
@Module({})
export class AgentPortsModule {
  /** @param rpc transport to the fast services; null if there is none: their columns then fail */
  static forRoot(rpc: RpcTransport | null): DynamicModule {
    return {
      module: AgentPortsModule,
      imports: [IdentityModule, ServiceJobsModule],
      providers: [
        { provide: PaidLinesPort, useClass: PaidLinesAdapter },
        { provide: KeyAccessPort, useExisting: IdentityStore },
        { provide: MonitorItemsPort, useClass: MonitorItems },
        { provide: DirectCallsPort, useFactory: () => new DirectCallsAdapter(rpc) },
      ],
      exports: [PaidLinesPort, KeyAccessPort, MonitorItemsPort, DirectCallsPort],
    };
  }
}

/** Ports of Go to the identity library. */
@Global()
@Module({
  imports: [IdentityModule],
  providers: [{ provide: GoKeyAccessPort, useExisting: IdentityStore }],
  exports: [GoKeyAccessPort],
})
export class GoPortsModule {}

/** Ports of the identity library to the ledger. */
@Global()
@Module({ providers: [{ provide: KeyCapsPort, useClass: KeyCapsAdapter }], exports: [KeyCapsPort] })
export class IdentityPortsModule {}
