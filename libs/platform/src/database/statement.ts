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
