import { RUNS_RPC } from '@quarry/dto';
import { IdentityStore } from '@quarry/edge';
import type { Database, Logger, RpcHandlerSet } from '@quarry/platform';
import { RulesPlanner } from '@quarry/planner-rules';
import {
  ColumnEnricher,
  RowSource,
  RunAgent,
  RunLeaseStore,
  RunReaper,
  runsRpcHandlers,
  RunScript,
  RunStore,
  TableBuilder,
} from '@quarry/runs';
import type { BatchPart, Queues, SearchPart } from './services-part.js';
import { paidLinesAdapter } from './paid-lines.adapter.js';
import { exclusionAdapter, tableWriterAdapter, workspaceAdapter } from './tables.adapter.js';
import type { TablesPart } from './tables-part.js';

export interface RunsPart {
  store: RunStore;
  handlers: RpcHandlerSet;
}

/** Accepts and reads runs; works on none. */
export function runsPart(options: {
  database: Database;
  queues: Queues;
  tables: TablesPart;
  appUrl: string;
}): RunsPart {
  const { database, queues, tables, appUrl } = options;
  const store = new RunStore(database, {
    workspaces: workspaceAdapter(tables),
    deliver: (runId) => queues.add('agent-runs', [{ runId }]),
    appUrl,
  });
  return { store, handlers: { api: RUNS_RPC, handlers: runsRpcHandlers(store) } };
}

export interface AgentPart {
  /** Hands every run in hand back to the others. */
  close(): Promise<void>;
}

/** Consumes the agent's queue: plans runs and performs them. */
export function agentPart(options: {
  database: Database;
  queues: Queues;
  tables: TablesPart;
  batches: BatchPart;
  search: SearchPart;
  logger: Logger;
}): AgentPart {
  const { database, queues, logger } = options;
  const identity = new IdentityStore(database);
  const leases = new RunLeaseStore(database);
  const tables = tableWriterAdapter(options.tables);
  const source = new RowSource({
    directoryFor: options.search.directoryFor,
    tables,
    exclusions: exclusionAdapter(options.tables),
  });
  const enricher = new ColumnEnricher({ lines: paidLinesAdapter(options.batches), tables });
  const builder = new TableBuilder({ leases, tables, source, enricher });
  const script = new RunScript({
    database,
    leases,
    planner: new RulesPlanner(),
    tables,
    builder,
    referenceYear: () => new Date().getUTCFullYear(),
  });
  const agent = new RunAgent({
    database,
    leases,
    script,
    workspaces: workspaceAdapter(options.tables),
    keys: { isRevoked: (ctx, keyId) => identity.isKeyRevoked(ctx, keyId) },
    logger,
  });
  const stopping = new AbortController();
  queues.consume(['agent-runs'], { 'agent-runs': ({ runId }) => agent.work(runId, stopping.signal) });
  const reaper = new RunReaper(
    leases,
    (runId) => queues.add('agent-runs', [{ runId }]).catch(() => void agent.work(runId, stopping.signal)),
    logger,
  );
  reaper.start();
  return {
    close: async () => {
      await queues.pause();
      stopping.abort();
      await reaper.stop();
      await agent.drained();
    },
  };
}
