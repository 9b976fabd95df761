import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { TABLES_RPC, type JsonText, type Table } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import {
  ByteBudget,
  collectGarbage,
  newId,
  type Ctx,
  Database,
  IdempotentRequests,
  WorkFigures,
} from '@quarry/platform';
import { TablesStore } from '../tables/tables.store.js';
import { lockWorkspace } from '../workspaces/workspaces.store.js';
import { judgeImport } from './import-request.js';
import { copyRows, insertTable } from './table-copy.js';

/** As long as the call may take, and half a minute for what still stands in its way then. */
const LEASE_MS = TABLES_RPC.importTable.timeoutMs + 30_000;

/** One import of the largest size and some small ones beside it. */
const BUDGET_CHARACTERS = 80 * 1024 * 1024;
const LARGE_CHARACTERS = 8 * 1024 * 1024;
/** An import of the largest size takes a few seconds. */
const RETRY_AFTER_SECONDS = 5;

interface ImportRequest {
  workspaceId: string;
  body: string;
  idempotencyKey?: string | null;
}

/** Imports a table: one transaction, rows by COPY, in the order they were sent. */
@Injectable()
export class TableImporter {
  /** What this process has in hand, from whichever gateway. */
  private readonly budget = new ByteBudget(BUDGET_CHARACTERS);

  constructor(
    private readonly database: Database,
    private readonly tables: TablesStore,
    private readonly requests: IdempotentRequests,
    @Optional() figures?: WorkFigures,
  ) {
    figures?.watchBudget('imports', this.budget);
  }

  /**
   * @param request.body one well-formed JSON value without duplicate keys
   * @returns the new table's id and its Table
   * @throws AppError rate_limited when other imports take up the memory for it, invalid_request for the body, then workspace_not_found; idempotency_conflict
   */
  async import(ctx: Ctx, request: ImportRequest): Promise<{ id: string; json: JsonText<typeof Table> }> {
    const { length } = request.body;
    const giveBack = this.budget.take(length);
    if (giveBack === null) {
      throw new AppError(
        'rate_limited',
        'Other imports take up the memory for it. Send it again in a moment.',
        {
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        },
      );
    }
    return this.importWithin(ctx, request).finally(() => {
      giveBack();
      // When what called this has let go of the body, too.
      if (length >= LARGE_CHARACTERS) setImmediate(collectGarbage);
    });
  }

  private async importWithin(
    ctx: Ctx,
    { workspaceId, body, idempotencyKey: key = null }: ImportRequest,
  ): Promise<{ id: string; json: JsonText<typeof Table> }> {
    const route = `${TABLES_RPC.importTable.pattern} ${workspaceId}`;
    return this.requests.whileLeased(ctx, { route, key, body }, LEASE_MS, async (keep) => {
      const table = await inTurns(judgeImport(body));
      const id = newId('tbl');
      return this.database.transaction(ctx, async (tx) => {
        await lockWorkspace(this.database, tx, workspaceId);
        const head = { id, workspaceId, rowCount: table.rows.count, ...table };
        const rowSet = await insertTable(this.database, tx, head);
        if (table.rows.count > 0) await copyRows(this.database, tx, rowSet, table.rows.texts());
        const answer = { id, json: await this.tables.get(tx, id) };
        await keep(tx, answer);
        return answer;
      });
    });
  }
}

/** Runs work step by step; between two steps the process answers others. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
