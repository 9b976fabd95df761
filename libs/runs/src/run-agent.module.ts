import { Module } from '@nestjs/common';
import { Planner } from '@quarry/plan';
import { Database, LOGGER, type Logger } from '@quarry/platform';
import { Providers } from '@quarry/providers';
import { ColumnEnricher } from './agent/column-enricher.js';
import { RowSource } from './agent/row-source.js';
import { RunAgent } from './agent/run-agent.js';
import { RunConsumer } from './agent/run-consumer.js';
import { RunLeaseStore } from './agent/run-lease.store.js';
import { RunScript } from './agent/run-script.js';
import { TableBuilder } from './agent/table-builder.js';
import { KeyAccessPort } from './ports/key-access.port.js';
import { PaidLinesPort } from './ports/paid-lines.port.js';
import { ExclusionPort, TableWriterPort } from './ports/table-writer.port.js';
import { WorkspacePort } from './ports/workspace.port.js';

/** Works on runs. Wants the ports of the room, {@link Planner} and {@link Providers} from global modules. */
@Module({
  providers: [
    RunConsumer,
    RunLeaseStore,
    {
      provide: RowSource,
      useFactory: (providers: Providers, tables: TableWriterPort, exclusions: ExclusionPort) =>
        new RowSource({ directoryFor: (mode) => providers.directoryFor(mode), tables, exclusions }),
      inject: [Providers, TableWriterPort, ExclusionPort],
    },
    {
      provide: ColumnEnricher,
      useFactory: (lines: PaidLinesPort, tables: TableWriterPort) => new ColumnEnricher({ lines, tables }),
      inject: [PaidLinesPort, TableWriterPort],
    },
    {
      provide: TableBuilder,
      useFactory: (
        leases: RunLeaseStore,
        tables: TableWriterPort,
        source: RowSource,
        enricher: ColumnEnricher,
      ) => new TableBuilder({ leases, tables, source, enricher }),
      inject: [RunLeaseStore, TableWriterPort, RowSource, ColumnEnricher],
    },
    {
      provide: RunScript,
      useFactory: (
        database: Database,
        leases: RunLeaseStore,
        planner: Planner,
        tables: TableWriterPort,
        builder: TableBuilder,
      ) =>
        new RunScript({
          database,
          leases,
          planner,
          tables,
          builder,
          referenceYear: () => new Date().getUTCFullYear(),
        }),
      inject: [Database, RunLeaseStore, Planner, TableWriterPort, TableBuilder],
    },
    {
      provide: RunAgent,
      useFactory: (
        database: Database,
        leases: RunLeaseStore,
        script: RunScript,
        workspaces: WorkspacePort,
        keys: KeyAccessPort,
        logger: Logger,
      ) => new RunAgent({ database, leases, script, workspaces, keys, logger }),
      inject: [Database, RunLeaseStore, RunScript, WorkspacePort, KeyAccessPort, LOGGER],
    },
  ],
})
export class RunAgentModule {}
