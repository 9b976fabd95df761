import pg from 'pg';
import type { Ctx } from '@quarry/app';
import type { PreparedStatement, Row } from './statement.js';
import type { TransactionFrame } from './transaction-frame.js';

/** Scope of work that belongs to no organisation. Only the working role may use it: see `access-rules.ts`. */
const ALL_ORGANISATIONS = '*';

/** @returns the organisation that a statement of this context may access, in the form that row-level security reads */
export function scopeOf(ctx: Pick<Ctx, 'orgId'>): string {
  return ctx.orgId === '' ? ALL_ORGANISATIONS : ctx.orgId;
}

/** Members of the driver's connection that its types omit. */
interface DriverConnection {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: string[] }): void;
  execute(message: { portal?: string; rows?: number }): void;
}

/** A query of the driver, with the members that its types omit. */
interface DriverQuery extends pg.Submittable {
  name: string | undefined;
  text: string;
  readonly _result: { _types: pg.CustomTypesConfig | undefined };
  callback?: (error: Error | null, result: pg.QueryResult<Row>) => void;
  prepare(connection: DriverConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleError(error: Error, connection: DriverConnection): void;
}

const BaseQuery = pg.Query as unknown as new (text: string, params: unknown[]) => DriverQuery;

const JSON_TYPES: readonly number[] = [pg.types.builtins.JSON, pg.types.builtins.JSONB];
const JSON_AS_TEXT = {
  getTypeParser: (type: number): unknown =>
    JSON_TYPES.includes(type) ? String : pg.types.getTypeParser(type),
} as pg.CustomTypesConfig;

/** @returns a statement in the driver's format, without its name */
export function driverConfig(sql: string | PreparedStatement): pg.QueryConfig {
  if (typeof sql === 'string') return { text: sql };
  return sql.keepsJsonText ? { text: sql.text, types: JSON_AS_TEXT } : { text: sql.text };
}

/**
 * A statement preceded by the frame of its transaction, with one Sync for both. PostgreSQL runs everything before a Sync
 * as one transaction, so the settings end with the statement, and neither costs an extra round trip. The time limit of
 * the frame applies to the statement, because the server restarts its timer after each execution. If either fails, both
 * fail.
 *
 * A query object with a text also avoids the driver's handling of a configuration: it clones it property by property, which
 * costs as much as the rest of the driver's work.
 */
class ScopedQuery extends BaseQuery {
  private isFramed = false;
  private readonly ownName: string | undefined;
  private readonly ownText: string;

  constructor(
    sql: string | PreparedStatement,
    params: unknown[],
    private readonly frame: TransactionFrame,
    private readonly scope: string,
  ) {
    super(typeof sql === 'string' ? sql : sql.text, params);
    if (typeof sql !== 'string' && sql.keepsJsonText) this._result._types = JSON_AS_TEXT;
    this.ownName = typeof sql === 'string' || !frame.keepsStatements ? undefined : sql.name;
    this.ownText = this.text;
  }

  /** Returns true, because a simple query would be a transaction of its own. */
  requiresPreparation(): boolean {
    return true;
  }

  override prepare(connection: DriverConnection): void {
    const { name, text } = this.frame.statement;
    const statement = this.frame.keepsStatements ? name : '';
    const { parsedStatements, submittedNamedStatements } = connection;
    const isParsedNow = statement === '' || !(parsedStatements[name] ?? submittedNamedStatements[name]);
    if (isParsedNow) {
      connection.parse({ name: statement, text });
      if (statement !== '') submittedNamedStatements[name] = text;
    }
    connection.bind({ statement, values: [this.scope] });
    connection.execute({});
    this.name = this.ownName;
    super.prepare(connection);
    // Until the frame has completed, the server parses the statement of the frame. The driver records it under this name and
    // text as soon as it is parsed: the server keeps it even if the frame is refused.
    this.name = isParsedNow && statement !== '' ? statement : undefined;
    this.text = text;
  }

  override handleDataRow(message: unknown): void {
    if (this.isFramed) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (this.isFramed) return super.handleCommandComplete(message, connection);
    this.isFramed = true;
    this.name = this.ownName;
    this.text = this.ownText;
  }

  override handleError(error: Error, connection: DriverConnection): void {
    const { submittedNamedStatements } = connection;
    if (this.ownName !== undefined) delete submittedNamedStatements[this.ownName];
    if (!this.isFramed) delete submittedNamedStatements[this.frame.statement.name];
    super.handleError(error, connection);
  }
}

/** Runs one statement within a scope, as a transaction of its own. @throws the driver's error */
export function runScoped<R extends Row>(
  client: pg.ClientBase,
  frame: TransactionFrame,
  scope: string,
  sql: string | PreparedStatement,
  params: unknown[],
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const query = new ScopedQuery(sql, params, frame, scope);
    query.callback = (error, result) => (error ? reject(error) : resolve(result.rows as R[]));
    client.query(query);
  });
}
