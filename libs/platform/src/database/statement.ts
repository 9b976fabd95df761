/** Rows as node-postgres gives them. */
export type Row = Record<string, unknown>;

/**
 * A statement that each reading connection parses and plans once. For hot reads by key: a list whose best plan depends
 * on its parameters stays plain text. Names are unique; the columns must stay the same across migrations.
 */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * What a statement is, and so which connections carry it. Whatever declares nothing shares no connection with others
 * while it runs, which is right for every statement.
 * - `read`: a short read by key, without locks. Many are in flight at once on two connections.
 * - `work`: a short write of a line's life. The same, on connections of its own.
 * - `beat`: the renewal of a lease, which must not wait behind anything.
 * - `list`: a page of a list. It may be slow, so each organisation has a few at once and the others wait their turn.
 */
export type StatementKind = 'read' | 'work' | 'beat' | 'list';
