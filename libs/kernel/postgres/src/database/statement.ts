/** Row as node-postgres returns it. */
export type Row = Record<string, unknown>;

/**
 * A statement that each connection parses and plans once. Use it for frequent statements by key. A list whose best plan
 * depends on its parameters stays plain text. Names are unique; the columns must not change across migrations.
 */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /** Returns JSON columns as the text that PostgreSQL sent. */
  readonly keepsJsonText?: boolean;
}

/** Types of a statement by the schema, which `npm run generate` writes into `statements.types.ts` of its library. */
export interface StatementType {
  params: readonly unknown[];
  row: Row;
}

/** Types of one statement in a generated file, with short names for the usual types of parameters and columns. */
export interface Typed<Params extends readonly unknown[], R = Record<never, unknown>> {
  params: Readonly<Params>;
  row: R;
}
export type Text = string | null;
export type Texts = ReadonlyArray<string | null> | null;
export type Num = number | null;
export type BigNum = number | string | null;
export type Flag = boolean | null;
export type Time = Date | string | null;

/** Columns of a row with types that are narrower than those of the schema and do not contradict them. */
type Narrower<Columns, R> = { [Name in keyof Columns]: Name extends keyof R ? R[Name] : never };

/** A statement whose parameters and rows have the types of the migrated schema. */
export class Statement<Params extends readonly unknown[] = readonly unknown[], R extends Row = Row> {
  /** Exists for the compiler only. */
  declare readonly types: { params: Params; row: R };

  constructor(
    /** Unique name: the declaring file and the purpose. */
    readonly name: string,
    readonly text: string,
    /** See {@link PreparedStatement}. */
    readonly isPrepared = false,
    readonly keepsJsonText = false,
  ) {}

  /**
   * Narrows column types by facts that the schema does not know: an expression is never null, or JSON has a certain type.
   * @returns this statement; unknown columns and types that contradict the schema do not compile
   */
  rows<Columns extends Narrower<Columns, R>>(): Statement<Params, Omit<R, keyof Columns> & Columns> {
    return this as unknown as Statement<Params, Omit<R, keyof Columns> & Columns>;
  }

  /** @returns the same statement as a {@link PreparedStatement} */
  prepared(): Statement<Params, R> {
    return this.replaceDeclared(new Statement<Params, R>(this.name, this.text, true));
  }

  /**
   * For JSON that is sent to the client unchanged: a cast to text would copy it once more on the server.
   * @returns the same statement as a {@link PreparedStatement} whose JSON columns are unparsed text
   */
  preparedWithJsonText(): Statement<Params, R> {
    return this.replaceDeclared(new Statement<Params, R>(this.name, this.text, true, true));
  }

  /**
   * For a search whose conditions are composed at run time, over a table that is created at run time.
   * @param text returns the columns of this statement; values are passed as parameters, never in the text
   * @returns a statement with the columns of this one and unchecked parameters
   */
  composed(text: string): Statement<readonly unknown[], R> {
    return new Statement(this.name, text);
  }

  private replaceDeclared(statement: Statement<Params, R>): Statement<Params, R> {
    const index = DECLARED.indexOf(this);
    if (index >= 0) DECLARED[index] = statement;
    return statement;
  }

  /** @returns the statement in the form that the driver needs */
  get forDriver(): string | PreparedStatement {
    return this.isPrepared ? this : this.text;
  }
}

const DECLARED: Statement[] = [];

/** @returns all statements of the loaded modules, for the generator that queries their types from PostgreSQL */
export function declaredStatements(): readonly Statement[] {
  return DECLARED;
}

/**
 * Creates the function that declares the statements of a library. Each statement is a module constant, so that it is
 * known without being run.
 * @typeParam Types generated types of the library
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
 * Kind of a statement, which selects the connections that carry it. A statement without a kind uses a connection
 * exclusively, which is always correct.
 * - `read`: a short read by key, without locks. Many are in flight at once on two connections.
 * - `work`: a short write in the life of a job. Likewise, on connections of its own.
 * - `heartbeat`: the renewal of a lease, which must not wait behind anything.
 * - `list`: a page of a list. It may be slow, so each organisation runs a few at once and the others wait their turn.
 */
export type StatementKind = 'read' | 'work' | 'heartbeat' | 'list';
