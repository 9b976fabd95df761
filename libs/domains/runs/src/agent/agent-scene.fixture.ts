import { LeaseLostError } from '@quarry/durable-work';
import type { CellJson, ColumnJson, FitJson } from '@quarry/dto';
import { emptyIntent, type PlanIntent, type Planner } from '@quarry/plan';
import type { Logger } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { FakePlanner } from '@quarry/prompt-fixtures';
import type { Providers } from '@quarry/engine';
import type { ResearchWebs } from '@quarry/research';
import type { DirectCall, DirectCallsPort, DirectOutcome } from '../ports/direct-calls.port.js';
import type { FoundItems, MonitorItemsPort, MonitorMemory } from '../ports/monitor-items.port.js';
import type { PaidLine, PaidLinesPort } from '../ports/paid-lines.port.js';
import type {
  ExclusionPort,
  TableFreezerPort,
  TableReaderPort,
  TableWriterPort,
} from '../ports/table-writer.port.js';
import type { WebRowSource } from '../rows/web-row-source.js';
import type { RunAccount } from '../run-account.js';
import { ColumnEnricher } from '../columns/column-enricher.js';
import { ConversationRecord } from './conversation-record.js';
import { EarlierTables } from '../rows/earlier-tables.js';
import { PromptPlans } from '../plans/prompt-plans.js';
import { RowSource } from '../rows/row-source.js';
import { RunAgent } from './run-agent.js';
import type { LeasedRun, RunEnd, RunLeaseStore, RunSignals } from '../execution/run-lease.store.js';
import { RunEnding } from './run-ending.js';
import { RunPublisher } from './run-publisher.js';
import { RunScript } from './run-script.js';
import { type StepJournals } from '../execution/step-journal.js';
import { TableBuilder } from './table-builder.js';

/** Table of the organisation that {@link EMAILS} reads. */
export const LEADS = 'tbl_leads';
export const PROMPT = 'the emails of 150 leads';
const ORIGIN = { fragments: ['emails'], from: 'prompt' } as const;
/** Number of rows: they make two batches of lookups, one of a hundred and one of fifty. */
export const LEAD_COUNT = 150;

/** Intent that requests the email of each row of {@link LEADS}. */
export const EMAILS: Partial<PlanIntent> = {
  ...emptyIntent('person', { source: { kind: 'table', table_id: LEADS }, output_table: null }),
  count: { value: LEAD_COUNT, fragments: ['150'], from: 'prompt' },
  columns: [{ source: { from: 'service', service: 'getEmail' }, required: false, ...ORIGIN }],
};

interface FakeTable {
  name: string;
  columns: ColumnJson[];
  rows: Map<
    string,
    { values: Record<string, unknown>; cells: Record<string, CellJson>; fit: FitJson | null }
  >;
}

type Step = { input: unknown; isFinished: boolean; result?: unknown };
/** Points at which a test can intervene, before the port returns. */
type Moment =
  | 'updateRows'
  | 'step'
  | 'plan'
  | 'createTable'
  | 'appendRows'
  | 'submit'
  | 'ended'
  | 'call'
  | 'setFit'
  | 'freeze'
  | 'end';

/** One run and its agents over in-memory ports: covers all decisions of the agent, without a database. */
export class AgentScene {
  readonly run = {
    status: 'queued',
    token: 0,
    isCancelled: false,
    isRevoked: false,
    isWorkspaceOpen: true,
    isTableGone: false,
    end: null as RunEnd | null,
    artifacts: [] as string[],
  };
  readonly steps = new Map<string, Step>();
  readonly tables = new Map<string, FakeTable>([[LEADS, leads()]]);
  readonly frozen: string[] = [];
  /** Inputs of the lookups by batch id. Each batch is charged once. */
  readonly batches = new Map<string, Array<Record<string, unknown>>>();
  /** Length of each update of rows, in characters of JSON. */
  readonly writes: number[] = [];
  /** True while no line ends. */
  areLinesOpen = false;
  /** Number of leading lines of each batch that have ended while the batch is open. */
  linesEnded = 0;
  /** Ids of cancelled batches. */
  readonly cancelled: string[] = [];
  /** Answered direct calls by idempotency key. Each is charged once. */
  readonly calls = new Map<string, { call: DirectCall; outcome: DirectOutcome }>();
  /** Returns the outcome of a direct call. */
  answer: (call: DirectCall) => DirectOutcome | Promise<DirectOutcome> = () => {
    throw new Error('no direct call is expected');
  };
  /** Log lines of the agent, by level. */
  readonly logged: Array<{ level: string; message: string }> = [];
  readonly stopping = new AbortController();
  /** Number of lines that the balance covers. */
  balance = Infinity;
  planner: Planner = new FakePlanner(() => EMAILS);
  /** Returns the result for one lead; by default a lookup that found an email. */
  lookUp: (input: Record<string, unknown>) => Omit<PaidLine, 'jobId'> = () => found('a@b.test');
  /** Renews the lease. Returns whether it is still valid; rejects while storage is unavailable. */
  renew: () => boolean | Promise<never> = () => true;
  /** Plan of the previous run, as the journal stores it. */
  before: unknown = null;
  /** Earlier runs of the conversation with the tables that they created. */
  earlier: Array<{ run_id: string; plans: unknown; made: { tableId: string } }> = [];
  /** Cost limit of the run in thousandths of a credit; null for none. */
  creditsMax: number | null = null;
  /** Lines that found something; each costs one credit. */
  readonly paid = new Set<string>();
  /** Items that the run's monitor knows; null for a run without a monitor. */
  memory: MonitorMemory | null = null;
  /** Items that the run has reported to its monitor. */
  readonly reported: FoundItems[] = [];
  /** Ids of the plans that the run recorded as its root plan. */
  readonly offered: string[] = [];
  private readonly events = new Map<Moment, (times: number) => unknown>();
  private readonly times = new Map<Moment, number>();

  /** Calls `event` each time that the agent reaches a point. @param event receives the count, starting at 1 */
  at(moment: Moment, event: (times: number) => unknown): void {
    this.events.set(moment, event);
  }

  /** Works on the run as one process does, until the agent releases it. */
  work(agent = this.agent(), runId = 'run_1'): Promise<void> {
    this.stopping.signal.addEventListener('abort', () => void agent.stopWork());
    return agent.takeTurn({ runId }).then(() => undefined);
  }

  /** Returns the number of cells of a column of the run's own table, by status. */
  cells(column: string): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { cells } of this.made()?.rows.values() ?? [])
      counts[cells[column]!.status] = (counts[cells[column]!.status] ?? 0) + 1;
    return counts;
  }

  /** Returns the table that the run created. */
  made(): FakeTable | undefined {
    return [...this.tables].find(([id]) => id !== LEADS)?.[1];
  }

  /** Gives the run to another agent: writes of the first one no longer have an effect. */
  supersede(): void {
    this.run.token += 1;
  }

  /** @returns the agent of a separate process */
  agent(): RunAgent {
    const database = this.database();
    const leases = this.leases();
    const tables = this.tablePorts();
    const nothing = { companies: null, people: null };
    const providers = { directoriesFor: () => Promise.resolve(nothing) } as unknown as Providers;
    const account = this.account();
    const rows = new RowSource(providers, tables, NOBODY_EXCLUDED);
    const builder = new TableBuilder(
      leases,
      tables,
      tables,
      rows,
      new ColumnEnricher(this.lines(), this.direct(), tables, tables, account),
      NO_WEB_ROWS,
      new EarlierTables(database, tables),
      this.monitorItems(),
    );
    const planner: Planner = {
      createPlan: async (...ask) => (await this.reach('plan'), this.planner.createPlan(...ask)),
    };
    return new RunAgent(
      leases,
      this.journals(),
      new RunScript(
        database,
        leases,
        new PromptPlans(database, planner, tables, NO_WEB),
        builder,
        new ConversationRecord(database),
        new RunPublisher(database, leases, tables, tables, account, this.monitorItems()),
      ),
      { createWorkspace: async () => 'ws_1', workspaceExists: async () => this.run.isWorkspaceOpen },
      { isKeyRevoked: async () => this.run.isRevoked },
      new RunEnding(database, leases, this.lines(), tables, account),
      async () => undefined,
      this.logger(),
      'agent-runs',
    );
  }

  private async reach(moment: Moment): Promise<void> {
    const times = (this.times.get(moment) ?? 0) + 1;
    this.times.set(moment, times);
    await this.events.get(moment)?.(times);
  }

  private owns(run: Pick<LeasedRun, 'token'>): boolean {
    return this.run.status === 'running' && run.token === `${this.run.token}`;
  }

  private leases(): RunLeaseStore {
    const state = this.run;
    const leases: Partial<RunLeaseStore> = {
      claimRun: async (id) => {
        if (!['queued', 'recovering'].includes(state.status)) return null;
        state.status = 'running';
        state.token += 1;
        return { ...leasedRun(id, `${state.token}`), creditsMax: this.creditsMax };
      },
      renewLease: async () => this.renew(),
      releaseRun: async (run) => void (this.owns(run) && (state.status = 'recovering')),
      putBack: async (run) => void (this.owns(run) && (state.status = 'put back')),
      readSignals: async (run): Promise<RunSignals | null> =>
        this.owns(run)
          ? {
              isCancelled: state.isCancelled,
              keyId: 'key_1',
              workspaceId: 'ws_1',
              isTableGone: state.isTableGone,
            }
          : null,
      addArtifact: async (_ctx, run, { id }) =>
        void (this.owns(run) && !state.artifacts.includes(id) && state.artifacts.push(id)),
      setRootPlan: async (_run, planId) => void this.offered.push(planId),
      findUnfinished: async () => ({
        batchIds: [...this.steps.values()].flatMap(({ input, isFinished }) =>
          isFinished ? [] : ((input as { batchId?: string } | null)?.batchId ?? []),
        ),
        tableIds: [...this.tables.keys()].filter((id) => id !== LEADS),
      }),
      endRun: async (_tx, run, end) => {
        await this.reach('end');
        if (!this.owns(run)) return false;
        Object.assign(state, { status: end.status, end });
        return true;
      },
    };
    return leases as RunLeaseStore;
  }

  /** Creates journals that store steps as JSON, across agents. */
  private journals(): StepJournals {
    return {
      openJournal: (run: LeasedRun) => ({
        runStep: async (name: string, prepare: () => unknown, work: (input: unknown) => Promise<unknown>) => {
          await this.reach('step');
          const step: Step = this.steps.get(name) ?? { input: asJson(await prepare()), isFinished: false };
          if (step.isFinished) return step.result;
          if (!this.owns(run)) throw new LeaseLostError('The run belongs to another agent.');
          this.steps.set(name, step);
          const result = asJson(await work(step.input));
          if (!this.owns(run)) throw new LeaseLostError('The run belongs to another agent.');
          Object.assign(step, { isFinished: true, result });
          return result;
        },
      }),
    } as unknown as StepJournals;
  }

  private tablePorts(): TableReaderPort & TableWriterPort & TableFreezerPort {
    const rowsOf = (id: string) => this.tables.get(id)!.rows;
    const page = async function* (id: string) {
      yield [...rowsOf(id)].map(([rowId, { values, cells }]) => ({ id: rowId, values, cells }));
    };
    return {
      createTable: async (_ctx, { id, name, columns }) => {
        await this.reach('createTable');
        if (!this.tables.has(id)) this.tables.set(id, { name, columns, rows: new Map() });
      },
      appendRows: async (_ctx, id, rows) => {
        await this.reach('appendRows');
        for (const row of rows) if (!rowsOf(id).has(row.id)) rowsOf(id).set(row.id, row);
      },
      addColumns: async (_ctx, id, columns) => {
        const table = this.tables.get(id)!;
        const isKnown = (key: string): boolean => table.columns.some((column) => column.key === key);
        table.columns.push(...columns.filter(({ key }) => !isKnown(key)));
      },
      updateRows: async (_ctx, id, updates) => {
        await this.reach('updateRows');
        this.writes.push(JSON.stringify(updates).length);
        for (const { id: rowId, values, cells } of updates) {
          const row = rowsOf(id).get(rowId)!;
          Object.assign(row.values, values);
          Object.assign(row.cells, cells);
        }
      },
      arrangeRows: async (_ctx, id, rowIds) => {
        const rows = rowsOf(id);
        const kept = rowIds.flatMap((rowId) => {
          const row = rows.get(rowId);
          return row ? [[rowId, row] as const] : [];
        });
        rows.clear();
        for (const [rowId, row] of kept) rows.set(rowId, row);
      },
      skipPending: async (_ctx, id, error) => {
        for (const { cells } of rowsOf(id).values())
          for (const cell of Object.values(cells))
            if (cell.status === 'pending') Object.assign(cell, { status: 'skipped', error });
      },
      setFit: async (_ctx, id, fits) => {
        await this.reach('setFit');
        for (const { id: rowId, fit } of fits) rowsOf(id).get(rowId)!.fit = fit;
      },
      readRows: (_ctx, id) => page(id),
      listNames: async () => [{ id: LEADS, name: 'Leads' }],
      getTable: async (_ctx, id) => ({ ...this.tables.get(id)!, rowCount: rowsOf(id).size }),
      profileTable: async (_ctx, id) => {
        const { name, columns, rows } = this.tables.get(id)!;
        return { id, name, columns, rowCount: rows.size, values: {} };
      },
      freezeTable: async (_tx, { tableId }) => {
        await this.reach('freeze');
        this.frozen.push(tableId);
        const rowCount = rowsOf(tableId).size;
        return { rowCount, fitCounts: { qualified: 0, disqualified: 0, unknown: rowCount } };
      },
    };
  }

  private lines(): PaidLinesPort {
    const covered = new Map<string, number>();
    return {
      submitLines: async (_ctx, { batchId, inputs }) => {
        await this.reach('submit');
        if (this.batches.has(batchId)) return { kind: 'accepted' };
        if (this.balance <= 0) return { kind: 'spent' };
        this.batches.set(batchId, inputs);
        covered.set(batchId, Math.min(this.balance, inputs.length));
        this.balance -= inputs.length;
        return { kind: 'accepted' };
      },
      cancelLines: async (_ctx, batchId) => void this.cancelled.push(batchId),
      readEnds: async (_ctx, batchId) =>
        this.batches
          .get(batchId)!
          .map((input, i) =>
            i < this.linesEnded ? ({ jobId: `job_${i}`, ...this.lookUp(input) } as PaidLine) : null,
          ),
      findEnded: async (_ctx, batchId) => {
        await this.reach('ended');
        if (this.areLinesOpen) return null;
        const most = covered.get(batchId) ?? Infinity;
        return this.batches.get(batchId)!.map((input, i) => {
          const line = { jobId: `job_${i}`, ...(i < most ? this.lookUp(input) : SPENT) } as PaidLine;
          if (line.state === 'completed' && (line.result as { email?: unknown }).email !== null)
            this.paid.add(`${batchId} ${i}`);
          return line;
        });
      },
    };
  }

  /** Creates a port that answers each key once, as the services do: a repeated call gets the same outcome. */
  private direct(): DirectCallsPort {
    return {
      callService: async (_ctx, call) => {
        await this.reach('call');
        const known = this.calls.get(call.key);
        if (known) return known.outcome;
        const outcome = await this.answer(call);
        if (outcome.kind === 'answered') this.calls.set(call.key, { call, outcome });
        return outcome;
      },
    };
  }

  private monitorItems(): MonitorItemsPort {
    return {
      openMemory: async () => this.memory,
      addItems: async (_tx, _run, items) => void this.reported.push(items),
    };
  }

  private database(): Database {
    return {
      query: async () => this.earlier,
      queryOne: async () => (this.before === null ? null : { result: this.before }),
      transaction: (ctx: unknown, work: (tx: unknown) => Promise<unknown>) => work(ctx),
    } as unknown as Database;
  }

  /** Creates the charges of the run: one credit for each line that found something. */
  private account(): RunAccount {
    const sum = async (): Promise<number> => this.paid.size * 1000;
    return { sumCharges: sum, readCharged: sum, settleHold: async () => undefined } as unknown as RunAccount;
  }

  private logger(): Logger {
    const log =
      (level: string) =>
      (_facts: unknown, message: string): void =>
        void this.logged.push({ level, message });
    return { error: log('error'), warn: log('warn') } as unknown as Logger;
  }
}

/** Returns a lookup that found an email, or nothing when the value is null. */
export function found(email: string | null): Omit<PaidLine, 'jobId'> {
  return { state: 'completed', result: { email, provider: 'fake', confidence: 'high' } } as Omit<
    PaidLine,
    'jobId'
  >;
}

/** Returns a lookup that failed. */
export function failedLine(code: string): Omit<PaidLine, 'jobId'> {
  return { state: 'failed', error: { code, message: code } } as Omit<PaidLine, 'jobId'>;
}

const SPENT = failedLine('usage_limit');

/** Access to the web that sources no rows: web-row-source.spec.ts tests that. */
const NO_WEB = { canSource: async () => false } as unknown as ResearchWebs;
const NO_WEB_ROWS = {} as WebRowSource;

const NOBODY_EXCLUDED: ExclusionPort = { excludedAmong: async () => new Set() };

function leads(): FakeTable {
  const columns: ColumnJson[] = [
    { key: 'name', name: 'Name', kind: 'text', qualification: { effect: 'none' } as never },
    { key: 'company', name: 'Company', kind: 'text', qualification: { effect: 'none' } as never },
  ];
  const rows: FakeTable['rows'] = new Map();
  for (let i = 0; i < LEAD_COUNT; i += 1)
    rows.set(`row_${i}`, { values: { name: `Ada Lead${i}`, company: 'Leads Ltd' }, cells: {}, fit: null });
  return { name: 'Leads', columns, rows };
}

function leasedRun(id: string, token: string): LeasedRun {
  return {
    id,
    token,
    ctx: { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'spec', timeoutMs: null },
    workspaceId: 'ws_1',
    conversationId: 'conv_1',
    prompt: PROMPT,
    outputContract: null,
    creditsMax: null,
    createdAt: '2026-01-01T00:00:00Z',
    monitorId: null,
    queue: 'agent-runs',
    leaseLosses: 0,
    traceparent: null,
  };
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
