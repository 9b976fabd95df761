/** Rows as node-postgres gives them. */
export type Row = Record<string, unknown>;

/**
 * A statement that each connection parses and plans once. For what is hot and goes by key: a list whose best plan depends
 * on its parameters stays plain text. Names are unique; the columns must stay the same across migrations.
 */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /** Gives columns of JSON as the text that PostgreSQL has printed. */
  readonly keepsJsonText?: boolean;
}

/** Types of a statement by the schema, as `npm run generate` writes them into `statements.types.ts` of its library. */
export interface StatementType {
  params: readonly unknown[];
  row: Row;
}

/** Columns of a row with types that say more than the schema does, and nothing that it denies. */
type Narrower<Columns, R> = { [Name in keyof Columns]: Name extends keyof R ? R[Name] : never };

/** A statement whose parameters and rows have the types that the migrated schema gives them. */
export class Statement<Params extends readonly unknown[] = readonly unknown[], R extends Row = Row> {
  /** Never there: for the compiler alone. */
  declare readonly types: { params: Params; row: R };

  constructor(
    /** Unique: the file that declares it, and what it does. */
    readonly name: string,
    readonly text: string,
    /** See {@link PreparedStatement}. */
    readonly isPrepared = false,
    readonly keepsJsonText = false,
  ) {}

  /**
   * Says of columns what the schema does not know: that an expression is never null, or what stands in JSON.
   * @returns this statement; a column that it does not have, or another type than the schema's, does not compile
   */
  rows<Columns extends Narrower<Columns, R>>(): Statement<Params, Omit<R, keyof Columns> & Columns> {
    return this as unknown as Statement<Params, Omit<R, keyof Columns> & Columns>;
  }

  /** @returns the same as a {@link PreparedStatement} */
  prepared(): Statement<Params, R> {
    return new Statement(this.name, this.text, true);
  }

  /**
   * For JSON that goes to the client as it is: casting it to text would copy it once more at the server.
   * @returns the same as a {@link PreparedStatement} whose columns of JSON are text that nobody has parsed
   */
  preparedWithJsonText(): Statement<Params, R> {
    return new Statement(this.name, this.text, true, true);
  }

  /**
   * For a search whose conditions are put together at run time, over a table that is made at run time.
   * @param text gives this statement's columns; values stand in its parameters, never in the text
   * @returns a statement with the columns of this one, whose parameters nobody checks
   */
  composed(text: string): Statement<readonly unknown[], R> {
    return new Statement(this.name, text);
  }

  /** @returns what the driver is given */
  get forDriver(): string | PreparedStatement {
    return this.isPrepared ? this : this.text;
  }
}

const DECLARED: Statement[] = [];

/** @returns every statement of the modules that are loaded, for those who ask PostgreSQL what their types are */
export function declaredStatements(): readonly Statement[] {
  return DECLARED;
}

/**
 * @returns what declares the statements of a library. Each stands in a constant of its module, so that it is known
 *   without being run; `Types` is what was generated for the library
 */
export function statementsOf<Types extends { [Name in keyof Types]: StatementType }>() {
  return <Name extends keyof Types & string>(
    name: Name,
    text: string,
  ): Statement<Types[Name]['params'], Types[Name]['row']> => {
    const statement = new Statement<Types[Name]['params'], Types[Name]['row']>(name, text);
    DECLARED.push(statement);
    return statement;
  };
}

/**
 * Kind of a statement, which chooses the connections that carry it. A statement that declares none shares no connection
 * while it runs, which is right for every statement.
 * - `read`: a short read by key, without locks. Many are in flight at once on two connections.
 * - `work`: a short write of a line's life. The same, on connections of its own.
 * - `heartbeat`: the renewal of a lease, which must not wait behind anything.
 * - `list`: a page of a list. It may be slow, so each organisation has a few at once and the others wait their turn.
 */
export type StatementKind = 'read' | 'work' | 'heartbeat' | 'list';
