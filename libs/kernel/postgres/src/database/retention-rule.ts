import { systemCtx, type RetentionRule } from '@quarry/app';
import type { Database } from './database.js';
import type { Row, Statement } from './statement.js';

/**
 * Returns the retention rule of a statement that removes some expired rows.
 * @param what short name for logs
 * @param sql returns a row for each that it has removed
 */
export function retentionRule<Params extends readonly unknown[], R extends Row>(
  database: Database,
  what: string,
  sql: Statement<Params, R>,
  params: NoInfer<Params>,
): RetentionRule {
  return { what, removeSome: async () => (await database.query(systemCtx('retention'), sql, params)).length };
}
