import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import type { Ctx, Transaction, TxCtx } from '../context/ctx.js';
import { parseJson } from '../json/parse-json.js';
import { PipelinedReader } from './pipelined-reader.js';
import { MIGRATIONS } from './migrations/index.js';
import type { PreparedStatement, Row } from './statement.js';

export interface DatabaseOptions {
  url: string;
  applicationName: string;
  /** Connections for transactions of several statements. */
  poolSize?: number;
  /** Connections that carry many single-statement reads in flight at once. */
  readers?: number;
}

// Cells of customers have keys of their choice.
pg.types.setTypeParser(pg.types.builtins.JSON, parseJson);
pg.types.setTypeParser(pg.types.builtins.JSONB, parseJson);

// 40001 serialization_failure, 40P01 deadlock_detected: the whole transaction may simply be run again.
const RETRYABLE_SQLSTATES = new Set(['40001', '40P01']);
const TRANSACTION_TRIES = 4;

/**
 * The way to PostgreSQL. Transactions go through TypeORM's pool; single statements go, pipelined, over a few
 * shared connections, which halves their CPU on both sides.
 */
export class Database {
  private constructor(
    readonly dataSource: DataSource,
    private readonly reader: PipelinedReader,
    private readonly ownConnection: pg.ClientConfig,
  ) {}

  /** Opens pool and readers. @throws the driver's error when the server cannot be reached. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const dataSource = new DataSource({
      type: 'postgres',
      url: options.url,
      applicationName: options.applicationName,
      poolSize: options.poolSize ?? 10,
      migrations: MIGRATIONS,
      migrationsTableName: 'quarry_migrations',
      // A minute: no statement of ours may hold a request longer than a held read may take.
      extra: {
        statement_timeout: 60_000,
        idle_in_transaction_session_timeout: 60_000,
        connectionTimeoutMillis: 10_000,
      },
    });
    await dataSource.initialize();
    const reader = new PipelinedReader(
      { connectionString: options.url, application_name: `${options.applicationName}:read` },
      options.readers ?? 2,
    );
    return new Database(dataSource, reader, {
      connectionString: options.url,
      application_name: `${options.applicationName}:copy`,
      // As long as an import may take to arrive.
      statement_timeout: 300_000,
      connectionTimeoutMillis: 10_000,
    });
  }

  /** Applies all pending migrations, one transaction each. Safe to call from several processes at once. */
  async migrate(): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    try {
      // 0x51554152 spells QUAR: one migrating process at a time.
      await runner.query('SELECT pg_advisory_lock(1364541778)');
      await this.dataSource.runMigrations({ transaction: 'each' });
    } finally {
      await runner.query('SELECT pg_advisory_unlock(1364541778)').catch(() => undefined);
      await runner.release();
    }
  }

  /**
   * Runs `work` in one transaction; inside an open one it joins it. Deadlocks and serialization failures run it
   * again, so `work` must have no effect outside the database: use {@link afterCommit} for those.
   */
  async transaction<T>(ctx: Ctx | TxCtx, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
    if (isTxCtx(ctx)) return work(ctx);
    for (let attempt = 1; ; attempt += 1) {
      const runner = this.dataSource.createQueryRunner();
      const tx: Transaction = { runner, afterCommit: [] };
      try {
        await runner.startTransaction();
        const result = await work({ ...ctx, tx });
        await runner.commitTransaction();
        for (const effect of tx.afterCommit) await effect();
        return result;
      } catch (error) {
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
        if (attempt >= TRANSACTION_TRIES || !RETRYABLE_SQLSTATES.has(sqlState(error))) throw error;
      } finally {
        await runner.release();
      }
    }
  }

  /** Runs one statement: on the open transaction's connection when there is one, else pipelined. */
  async query<R extends Row = Row>(
    ctx: Ctx | TxCtx,
    sql: string | PreparedStatement,
    params: unknown[] = [],
  ): Promise<R[]> {
    if (isTxCtx(ctx)) {
      const text = typeof sql === 'string' ? sql : sql.text;
      return rowsOf<R>(await ctx.tx.runner.query(text, params, true));
    }
    return this.reader.query<R>(sql, params);
  }

  /** As {@link query}, for a statement that gives at most one row. */
  async queryOne<R extends Row = Row>(
    ctx: Ctx | TxCtx,
    sql: string | PreparedStatement,
    params: unknown[] = [],
  ): Promise<R | null> {
    return (await this.query<R>(ctx, sql, params))[0] ?? null;
  }

  /**
   * Opens a connection for `work` alone: for long COPYs beside an open transaction, which must not wait for a
   * connection of the pool while it holds one.
   * @returns what `work` returns
   */
  async withOwnConnection<T>(work: (client: RawClient) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.ownConnection);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Lends a raw connection (COPY and other protocol work). @returns what `work` returns. */
  async withConnection<T>(work: (client: RawClient) => Promise<T>): Promise<T> {
    const runner: QueryRunner = this.dataSource.createQueryRunner();
    try {
      return await work((await runner.connect()) as RawClient);
    } finally {
      await runner.release();
    }
  }

  /** @returns the raw client of an open transaction, for COPY. */
  async rawClient(ctx: TxCtx): Promise<RawClient> {
    return (await ctx.tx.runner.connect()) as RawClient;
  }

  async close(): Promise<void> {
    await this.reader.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/** A node-postgres client as TypeORM hands it out. */
export type RawClient = pg.ClientBase;

/** Runs an effect once the transaction has committed; at once when there is no transaction. */
export async function afterCommit(ctx: Ctx | TxCtx, effect: () => void | Promise<void>): Promise<void> {
  if (isTxCtx(ctx)) ctx.tx.afterCommit.push(effect);
  else await effect();
}

/** @returns the SQLSTATE of a driver error, or '' when there is none. */
export function sqlState(error: unknown): string {
  const direct = error as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = direct?.driverError?.code ?? direct?.code;
  return typeof code === 'string' ? code : '';
}

// 08 connection exception, 57P01-57P03 the server is stopping or starting, 53300 too many connections.
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[123]|53300)$/;
const UNAVAILABLE_SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** @returns whether an error says that PostgreSQL cannot be reached now, rather than that it refused a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (UNAVAILABLE_SQLSTATE.test(code) || UNAVAILABLE_SYSTEM_CODES.has(code)) return true;
  // The driver reports a cut connection without a code.
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  );
}

/** @returns the constraint or unique index that refused a write, or ''. */
export function violatedConstraint(error: unknown): string {
  const direct = error as { constraint?: unknown; driverError?: { constraint?: unknown } } | null;
  const name = direct?.driverError?.constraint ?? direct?.constraint;
  return typeof name === 'string' ? name : '';
}

function isTxCtx(ctx: Ctx | TxCtx): ctx is TxCtx {
  return 'tx' in ctx;
}

function rowsOf<R>(result: unknown): R[] {
  return (result as { records?: R[] }).records ?? [];
}
