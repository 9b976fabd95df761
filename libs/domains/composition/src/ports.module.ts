import { Global, Module, type Abstract, type DynamicModule, type Provider, type Type } from '@nestjs/common';
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
  TableFreezerPort,
  TableReaderPort,
  TableWriterPort,
  WorkspacePort,
} from '@quarry/runs';
import type { RpcTransport } from '@quarry/rpc';
import { ServiceJobsModule } from '@quarry/service-jobs';
import {
  EnrichableRows,
  ExclusionMatcher,
  RunReader,
  TableFreezer,
  TableReader,
  TableWriter,
  TableWriterModule,
} from '@quarry/tables';
import { PushRowsPort } from '@quarry/webhooks';
import { DirectCallsAdapter, PaidLinesAdapter } from './agent.adapter.js';
import { KeyCapsAdapter } from './key-caps.adapter.js';
import {
  ContactColumnsAdapter,
  ContactExclusionsAdapter,
  EnrollmentRowsAdapter,
  PushRowsAdapter,
  RunReaderAdapter,
} from './tables.adapter.js';

/** Binds a port to a class that provides what it declares. */
const bind = <Port>(port: Abstract<Port>, useClass: Type<Port>): Provider => ({ provide: port, useClass });
/** Binds a port to a service of another library that has what the port declares. */
const bindExisting = <Port>(port: Abstract<Port>, service: Type<Port>): Provider => ({
  provide: port,
  useExisting: service,
});

/** Ports through which other libraries access tables. */
@Global()
@Module({ providers: [bind(RunReader, RunReaderAdapter)], exports: [RunReader] })
export class RunReaderModule {}

const TABLE_PORTS = [
  bindExisting(WorkspacePort, TableWriter),
  bindExisting(TableWriterPort, TableWriter),
  bindExisting(TableReaderPort, TableReader),
  bindExisting(TableFreezerPort, TableFreezer),
  bindExisting(EnrichableRowsPort, EnrichableRows),
  bindExisting(ItemRowsPort, EnrichableRows),
  bindExisting(ExclusionPort, ExclusionMatcher),
  bindExisting(FastExclusionPort, ExclusionMatcher),
  bind(PushRowsPort, PushRowsAdapter),
  bind(ContactExclusionsPort, ContactExclusionsAdapter),
  bind(ContactColumnsPort, ContactColumnsAdapter),
  bind(EnrollmentRowsPort, EnrollmentRowsAdapter),
];

/** Ports that the tables library needs from others, in its own process. */
@Global()
@Module({ imports: [TableWriterModule], providers: TABLE_PORTS, exports: TABLE_PORTS })
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
        bind(PaidLinesPort, PaidLinesAdapter),
        bindExisting(KeyAccessPort, IdentityStore),
        bind(MonitorItemsPort, MonitorItems),
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
  providers: [bindExisting(GoKeyAccessPort, IdentityStore)],
  exports: [GoKeyAccessPort],
})
export class GoPortsModule {}

/** Ports of the identity library to the ledger. */
@Global()
@Module({ providers: [bind(KeyCapsPort, KeyCapsAdapter)], exports: [KeyCapsPort] })
export class IdentityPortsModule {}
