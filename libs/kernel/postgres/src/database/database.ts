import { KeyedSemaphore, type SemaphoreMetrics } from '@quarry/resilience';
import { AppError } from '@quarry/error-codes';
import { inSpan, isTracing, type SpanFacts } from '@quarry/tracing';
import pg from 'pg';
import { type Ctx, parseJson } from '@quarry/app';
import type { Transaction, TxCtx } from './transaction.js';
import { CONNECTION_BUDGETS, type ConnectionBudget } from './connection-budget.js';
import {
  connectionOf,
  COPY,
  framesOf,
  keepsStatements,
  PIPELINED,
  LIST,
  PING,
  POOL,
  createPool,
  STUCK_MS,
  type DatabaseOptions,
  type Frames,
} from './connection-settings.js';
import { ConnectionWatch, WatchedCopies } from './connection-watch.js';
import { PipelinedPool, type PipelinedPoolOptions } from './pipelined-pool.js';
import type { RoleName } from './roles.js';
import { driverConfig, runScoped, scopeOf } from './scoped-query.js';
import { sqlState } from './sql-state.js';
import type { PreparedStatement, Row, Statement, StatementKind } from './statement.js';
import type { TransactionFrame } from './transaction-frame.js';

// Cells of customers contain arbitrary keys.
pg.types.setTypeParser(pg.types.builtins.JSON, parseJson);
pg.types.setTypeParser(pg.types.builtins.JSONB, parseJson);

// 40001 serialization_failure, 40P01 deadlock_detected: the whole transaction can be retried.
const RETRYABLE_SQLSTATES = new Set(['40001', '40P01']);
const TRANSACTION_TRIES = 4;

const OF_DATABASE: SpanFacts = { 'db.system.name': 'postgresql' };

/** Rolls back the transaction of {@link Database.tryTransaction}. */
class RolledBack extends Error {}

/** PostgreSQL is available, but has no connection or no time for this statement now. */
class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError';
}

/** Load of the connections, by purpose: exclusive ones, and pipelined ones that many callers share. */
export interface DatabaseMetrics {
  shares: Readonly<Record<string, SemaphoreMetrics>>;
  pipelined: Readonly<Record<string, ReturnType<PipelinedPool['readMetrics']>>>;
}

interface Parts {
  frames: Frames;
  watch: ConnectionWatch;
  pipelined: Record<Exclude<StatementKind, 'list'> | 'ping', PipelinedPool>;
  transactions: pg.Pool;
  lists: pg.Pool;
}

/**
 * Access to PostgreSQL. Transactions use a pool, and so do single statements without a declared kind. Short statements
 * are pipelined over a few shared connections, which halves their CPU on both sides. Each kind has its own connections,
 * because a statement on a shared one waits for those before it.
 */
export class Database {
  private readonly poolTurns: KeyedSemaphore;
  private readonly listTurns: KeyedSemaphore;
  private readonly copyTurns: KeyedSemaphore;
  private readonly pinging: NodeJS.Timeout;
  /** Transactions whose raw client is lent out, until their end. */
  private readonly copying = new Map<Transaction, WatchedCopies>();

  private constructor(
    private readonly options: DatabaseOptions,
    private readonly parts: Parts,
    /** Connection budget, by purpose. */
    readonly connections: ConnectionBudget,
  ) {
    const { transactions, lists, copies } = connections;
    const busy = (): Error => new DatabaseBusyError('No connection became free in time.');
    this.poolTurns = new KeyedSemaphore({
      size: transactions,
      // Callers that wait for a lock occupy connections; at most half of them per organisation.
      each: Math.max(1, Math.ceil(transactions / 2)),
      timeout: { ms: POOL.waitMs, refusal: busy },
    });
    this.copyTurns = new KeyedSemaphore({
      size: copies,
      // A single organisation never occupies all of them.
      each: Math.max(1, copies - 1),
      timeout: { ms: COPY.waitMs, refusal: busy },
    });
    this.listTurns = new KeyedSemaphore({
      size: lists,
      // A single organisation never occupies all of them.
      each: Math.max(1, Math.min(LIST.each, lists - 1)),
      timeout: {
        ms: LIST.waitMs,
        // Source of the one second: public contract, Rate limits.
        refusal: () =>
          new AppError('rate_limited', 'Too many lists are being read at once.', {
            headers: { 'Retry-After': '1' },
          }),
      },
    });
    this.pinging = setInterval(() => void this.ping().catch(() => undefined), PING.everyMs).unref();
  }

  /** Role that the user of the URL switches to; undefined if it stays itself. */
  get role(): RoleName | undefined {
    return this.options.role;
  }

  /** Opens the pool; other connections are opened on first use. @throws the driver's error if the server cannot be reached */
  static async open(options: DatabaseOptions): Promise<Database> {
    const budget: ConnectionBudget = { ...CONNECTION_BUDGETS.local, ...options.connections };
    const watch = new ConnectionWatch();
    const transactions = createPool(options, budget.transactions);
    const lists = new pg.Pool({ ...connectionOf(options, 'list'), max: budget.lists });
    for (const each of [transactions, lists]) {
      // Emitted if an idle connection breaks; the pool opens another one.
      each.on('error', () => undefined);
      each.on('connect', (client) => watch.keep(client));
    }
    const frames = framesOf(options, await keepsStatementsOf(transactions, watch));
    const openPool = (
      kind: 'read' | 'work' | 'heartbeat' | 'ping',
      more: Partial<PipelinedPoolOptions> = {},
    ): PipelinedPool =>
      new PipelinedPool({
        connection: connectionOf(options, kind),
        frame: frames.pipelined,
        size: budget[kind],
        watch,
        timeoutMs: PIPELINED.timeoutMs,
        ...more,
      });
    return new Database(
      options,
      {
        frames,
        watch,
        transactions,
        lists,
        pipelined: {
          read: openPool('read'),
          work: openPool('work'),
          heartbeat: openPool('heartbeat'),
          ping: openPool('ping', { timeoutMs: PING.timeoutMs, onSilence: () => watch.endAll() }),
        },
      },
      budget,
    );
  }

  /**
   * Runs `work` in one transaction, or joins the open one. Deadlocks and serialization failures run it again, so `work`
   * must have no effects outside the database: use {@link afterCommit} for those.
   */
  transaction<T>(ctx: Ctx | TxCtx, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
    if (isTxCtx(ctx)) return work(ctx);
    if (!isTracing()) return this.runTransaction(ctx, work);
    return inSpan('client', 'transaction', OF_DATABASE, () => this.runTransaction(ctx, work));
  }

  /** Runs a transaction that is rolled back if its work returns null. @returns what the work returned */
  async tryTransaction<T>(ctx: Ctx, work: (ctx: TxCtx) => Promise<T | null>): Promise<T | null> {
    const result = this.transaction(ctx, async (tx) => {
      const done = await work(tx);
      if (done === null) throw new RolledBack();
      return done;
    });
    return result.catch((error: unknown) => {
      if (error instanceof RolledBack) return null;
      throw error;
    });
  }

  private async runTransaction<T>(ctx: Ctx, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { result, effects } = await this.inTurn(ctx, () => this.transactOnce(ctx, work));
        // After the connection is released, because an effect may need one.
        for (const effect of effects) await effect();
        return result;
      } catch (error) {
        if (attempt >= TRANSACTION_TRIES || !RETRYABLE_SQLSTATES.has(sqlState(error))) throw error;
      }
    }
  }

  /**
   * Runs one statement: on the connection of the open transaction if there is one, else by its kind.
   * @param kind declared kind of the statement; without a kind it gets a connection to itself
   * @throws the driver's error; AppError rate_limited for a list that waits too long for its turn
   */
  query<Params extends readonly unknown[], R extends Row>(
    ctx: Ctx | TxCtx,
    sql: Statement<Params, R>,
    params: NoInfer<Params>,
    kind?: StatementKind,
  ): Promise<R[]>;
  query<R extends Row>(ctx: Ctx | TxCtx, sql: Statement<readonly [], R>): Promise<R[]>;
  /** For specs: runs text whose types are not checked. */
  query<R extends Row = Row>(
    ctx: Ctx | TxCtx,
    sql: string,
    params?: readonly unknown[],
    kind?: StatementKind,
  ): Promise<R[]>;
  query(
    ctx: Ctx | TxCtx,
    statement: string | Statement,
    params: readonly unknown[] = [],
    kind?: StatementKind,
  ): Promise<Row[]> {
    if (!isTracing()) return this.carryOut(ctx, statement, params, kind);
    // The span has the name in the code, and neither SQL nor parameters.
    const name = typeof statement === 'string' ? 'statement' : statement.name;
    return inSpan('client', name, OF_DATABASE, () => this.carryOut(ctx, statement, params, kind));
  }

  private async carryOut(
    ctx: Ctx | TxCtx,
    statement: string | Statement,
    params: readonly unknown[],
    kind: StatementKind | undefined,
  ): Promise<Row[]> {
    const sql = typeof statement === 'string' ? statement : statement.forDriver;
    if (isTxCtx(ctx)) {
      const isNamed = typeof sql !== 'string' && this.parts.frames.pool.keepsStatements;
      const values = params as unknown[];
      const config = { ...driverConfig(sql), values, ...(isNamed && { name: sql.name }) };
      const answer = await this.onClient(ctx, ctx.tx.client, (client) => client.query<Row>(config));
      return answer.rows;
    }
    const values = params as unknown[];
    if (kind === 'list' && this.connections.lists > 0) return this.queryList<Row>(ctx, sql, values);
    if (kind !== undefined && kind !== 'list' && this.connections[kind] > 0)
      return this.parts.pipelined[kind].query<Row>(scopeOf(ctx), sql, values);
    return this.inTurn(ctx, () =>
      this.onPool<Row>(ctx, this.parts.transactions, this.parts.frames.pool, timeoutFor(ctx), sql, values),
    );
  }

  /** Like {@link query}, for a statement that returns at most one row. */
  queryOne<Params extends readonly unknown[], R extends Row>(
    ctx: Ctx | TxCtx,
    sql: Statement<Params, R>,
    params: NoInfer<Params>,
    kind?: StatementKind,
  ): Promise<R | null>;
  queryOne<R extends Row>(ctx: Ctx | TxCtx, sql: Statement<readonly [], R>): Promise<R | null>;
  /** For specs: runs text whose types are not checked. */
  queryOne<R extends Row = Row>(
    ctx: Ctx | TxCtx,
    sql: string,
    params?: readonly unknown[],
    kind?: StatementKind,
  ): Promise<R | null>;
  async queryOne(
    ctx: Ctx | TxCtx,
    sql: string | Statement,
    params: readonly unknown[] = [],
    kind?: StatementKind,
  ): Promise<Row | null> {
    return (await this.query(ctx, sql as Statement, params, kind))[0] ?? null;
  }

  /** Checks that PostgreSQL responds, on a connection that carries nothing else. @throws the driver's error */
  async ping(): Promise<void> {
    await this.parts.pipelined.ping.query('', 'SELECT 1', []);
    this.parts.watch.back();
  }

  /** @returns the load of the connections */
  readMetrics(): DatabaseMetrics {
    const { read, work, heartbeat } = this.parts.pipelined;
    return {
      shares: {
        transactions: this.poolTurns.readMetrics(),
        lists: this.listTurns.readMetrics(),
        copies: this.copyTurns.readMetrics(),
      },
      // The keys are label values of published metrics.
      pipelined: { read: read.readMetrics(), work: work.readMetrics(), beat: heartbeat.readMetrics() },
    };
  }

  /** @returns whether a statement waits on a connection that can neither be used nor ended: only a restart helps */
  get isStuck(): boolean {
    return this.parts.watch.longestOverdueMs > STUCK_MS;
  }

  /**
   * Opens a separate connection for `work`, within a transaction of the context's organisation: for long COPYs beside an
   * open transaction, which must not wait for a pool connection while it holds one.
   * @returns the result of `work`
   * @throws Error in a process that has no connections for COPYs
   */
  async withOwnConnection<T>(ctx: Ctx, work: (client: RawClient) => Promise<T>): Promise<T> {
    if (this.connections.copies === 0) throw new Error('This process has no connections for COPYs.');
    return this.copyTurns.use(ctx.orgId, () => this.onOwnConnection(ctx, work));
  }

  private async onOwnConnection<T>(ctx: Ctx, work: (client: RawClient) => Promise<T>): Promise<T> {
    const client = new pg.Client(connectionOf(this.options, 'copy'));
    this.parts.watch.keep(client);
    await client.connect();
    const copies = new WatchedCopies(client, COPY.timeoutMs);
    this.parts.watch.watch(copies);
    try {
      await client.query(this.parts.frames.copy.begin(client, scopeOf(ctx)));
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } finally {
      this.parts.watch.forget(copies);
      await client.end();
    }
  }

  /** Lends a raw connection (COPY and other protocol features). @returns the result of `work` */
  async withConnection<T>(work: (client: RawClient) => Promise<T>): Promise<T> {
    const client = await this.parts.transactions.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }

  /** @returns the raw client of an open transaction, for COPY; it is ended if a COPY on it stalls */
  rawClient(ctx: TxCtx): RawClient {
    const { client } = ctx.tx;
    if (!this.copying.has(ctx.tx)) {
      const copies = new WatchedCopies(client, COPY.timeoutMs);
      this.copying.set(ctx.tx, copies);
      this.parts.watch.watch(copies);
    }
    return client;
  }

  async close(): Promise<void> {
    clearInterval(this.pinging);
    const { pipelined, lists, transactions, watch } = this.parts;
    await Promise.all(Object.values(pipelined).map((each) => each.close()));
    await Promise.all([lists.end(), transactions.end()]);
    watch.close();
  }

  /** Checks availability before and after the wait for a turn: waiting for both a turn and a connection would take too long. */
  private async inTurn<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
    this.refuseWhileAway();
    return this.poolTurns.use(ctx.orgId, () => {
      this.refuseWhileAway();
      return work();
    });
  }

  private refuseWhileAway(): void {
    if (this.parts.watch.isAway) throw new DatabaseBusyError('PostgreSQL does not answer.');
  }

  private async transactOnce<T>(
    ctx: Ctx,
    work: (ctx: TxCtx) => Promise<T>,
  ): Promise<{ result: T; effects: Transaction['afterCommit'] }> {
    const client = await this.parts.transactions.connect();
    const tx: Transaction = { client, afterCommit: [] };
    const say = (text: string): Promise<unknown> => this.onClient(ctx, client, () => client.query(text));
    let isUsable = true;
    try {
      // BEGIN and the scope are sent in one message.
      await say(this.parts.frames.pool.begin(client, scopeOf(ctx)));
      const result = await work({ ...ctx, tx });
      await say('COMMIT');
      return { result, effects: tx.afterCommit };
    } catch (error) {
      // Also if the opening failed: BEGIN may have succeeded before a later setting was refused.
      await say('ROLLBACK').catch(() => (isUsable = false));
      throw error;
    } finally {
      const copies = this.copying.get(tx);
      if (copies) this.parts.watch.forget(copies);
      this.copying.delete(tx);
      // The pool keeps the connection only if it is usable, which is unknown after a failed ROLLBACK.
      client.release(!isUsable);
    }
  }

  /** Waits for one response on the connection of a transaction. */
  private onClient<T>(ctx: Ctx, client: RawClient, work: (client: RawClient) => Promise<T>): Promise<T> {
    return this.parts.watch.within(client, timeoutFor(ctx), () => work(client));
  }

  private async queryList<R extends Row>(
    ctx: Ctx,
    sql: string | PreparedStatement,
    params: unknown[],
  ): Promise<R[]> {
    try {
      return await this.listTurns.use(ctx.orgId, () =>
        this.onPool<R>(ctx, this.parts.lists, this.parts.frames.list, LIST.timeoutMs, sql, params),
      );
    } catch (error) {
      if (sqlState(error) !== QUERY_CANCELED) throw error;
      throw new DatabaseBusyError('The list took too long.', { cause: error });
    }
  }

  private async onPool<R extends Row>(
    ctx: Ctx,
    pool: pg.Pool,
    frame: TransactionFrame,
    timeoutMs: number,
    sql: string | PreparedStatement,
    params: unknown[],
  ): Promise<R[]> {
    const client = await pool.connect();
    try {
      return await this.parts.watch.within(client, timeoutMs, () =>
        runScoped<R>(client, frame, scopeOf(ctx), sql, params),
      );
    } finally {
      // The pool discards the connection if it is broken.
      client.release();
    }
  }
}

/** Returns a timeout that lets the limits of the server apply first, but never exceeds the remaining time of the call. */
function timeoutFor(ctx: Ctx): number {
  return Math.min(POOL.timeoutMs, ctx.timeoutMs ?? POOL.timeoutMs);
}

/** Runs {@link keepsStatements} on the first connection of a pool. @throws the driver's error if the server is unreachable */
async function keepsStatementsOf(pool: pg.Pool, watch: ConnectionWatch): Promise<boolean> {
  const client = await pool.connect();
  try {
    return await watch.within(client, PIPELINED.timeoutMs, () => keepsStatements(client));
  } finally {
    client.release();
  }
}

/** A driver connection, for features that only the driver has. */
export type RawClient = pg.ClientBase;

/** Runs an effect after the transaction has committed, or immediately if there is no transaction. */
export async function afterCommit(ctx: Ctx | TxCtx, effect: () => void | Promise<void>): Promise<void> {
  if (isTxCtx(ctx)) ctx.tx.afterCommit.push(effect);
  else await effect();
}

const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
// 08 connection exception, 57P01-57P03 server stopping or starting, 57P05 idle connection ended by the server, 53300 too
// many connections, 58000 and 58030 system or disk error: the server crashes and recovers, and a commit may or may not
// have survived. 57014 statement timeout, which many statements reach while the server restarts.
const UNAVAILABLE_SQLSTATE = /^(08...|57014|57P0[1235]|53300|55P03|580[03]0)$/;
// 53100 disk_full, 53200 out_of_memory.
const OUT_OF_RESOURCES_SQLSTATE = /^53[12]00$/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** @returns whether an error says that another transaction has locked a row or table: nothing was written */
export function isLockedOut(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/** @returns whether an error says that the disk or the memory of PostgreSQL is full: nothing was written */
export function isOutOfResources(error: unknown): boolean {
  return OUT_OF_RESOURCES_SQLSTATE.test(sqlState(error));
}

/**
 * @returns whether an error says that PostgreSQL is unreachable or has no time for this now, rather than that it rejected
 *   the statement. Unless {@link isLockedOut}, a write may have been carried out nevertheless.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseBusyError || isOutOfResources(error)) return true;
  const code = sqlState(error);
  if (UNAVAILABLE_SQLSTATE.test(code) || UNAVAILABLE_SYSTEM_CODES.has(code)) return true;
  // The driver reports a lost connection without a code.
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed))/.test(
      error.message,
    )
  );
}

/** @returns the constraint or unique index that rejected a write, or '' */
export function violatedConstraint(error: unknown): string {
  const direct = error as { constraint?: unknown; driverError?: { constraint?: unknown } } | null;
  const name = direct?.driverError?.constraint ?? direct?.constraint;
  return typeof name === 'string' ? name : '';
}

function isTxCtx(ctx: Ctx | TxCtx): ctx is TxCtx {
  return 'tx' in ctx;
}
