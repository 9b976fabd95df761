import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { LeaseLostError } from '@quarry/durable-work';
import type { ResearchStep } from '@quarry/language-models';
import { Database, TENANT, tenantOf, ofTenant } from '@quarry/postgres';
import type { LeasedGoRun } from './go-lease.store.js';
import { GO_DAYS } from './go-terms.js';
import { statement } from '../statements.types.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A journaled step, with its result and cost once it has finished. */
export interface JournaledStep<Result> {
  position: number;
  step: ResearchStep;
  done: { result: Result; cost: number } | null;
}

/**
 * The steps of Go runs. The input of a step is stored before it starts; its result and cost before the next one starts.
 * The next holder of a run skips finished steps and repeats a started one, so that each is paid once.
 */
@Injectable()
export class GoJournal {
  constructor(private readonly database: Database) {}

  /** @returns the steps of a run, in order; only the last one may be unfinished */
  async stepsOf<Result>(run: LeasedGoRun): Promise<Array<JournaledStep<Result>>> {
    const rows = await this.database.query(run.ctx, STEPS, [run.id]);
    return rows.map(({ position, input, result, cost, finished }) => ({
      position,
      step: input,
      done: finished ? { result: result as Result, cost: Number(cost) } : null,
    }));
  }

  /** @throws LeaseLostError */
  async beginStep(run: LeasedGoRun, position: number, step: ResearchStep): Promise<void> {
    const rows = await this.database.query(run.ctx, BEGIN, [
      run.id,
      run.token,
      position,
      JSON.stringify(step),
    ]);
    if (rows.length === 0) throw leaseLost();
  }

  /**
   * @param cost thousandths of a credit
   * @param text of the page that the step has read, stored in the same transaction
   * @throws LeaseLostError
   */
  async finishStep(
    run: LeasedGoRun,
    position: number,
    { result, cost, text }: { result: unknown; cost: number; text: string | null },
  ): Promise<void> {
    const packed = text === null ? null : await compress(text);
    await this.database.transaction(run.ctx, async (tx) => {
      if (packed) await this.database.query(tx, KEEP_PAGE, [tenantOf(tx), sha256Of(text!), packed, GO_DAYS]);
      const rows = await this.database.query(tx, FINISH, [
        run.id,
        run.token,
        position,
        JSON.stringify(result),
        cost,
      ]);
      if (rows.length === 0) throw leaseLost();
    });
  }

  /** @returns the text of a page; null if it is no longer stored */
  async textOf(run: LeasedGoRun, sha256: string): Promise<string | null> {
    const row = await this.database.queryOne(run.ctx, PAGE, [tenantOf(run.ctx), sha256], 'read');
    return row && (await decompress(row.text as Buffer)).toString('utf8');
  }
}

/** @returns the key under which a text is stored, in hexadecimal digits */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function leaseLost(): LeaseLostError {
  return new LeaseLostError('The run belongs to another process.');
}

const STEPS = statement(
  'go-journal.steps',
  `SELECT position, input, result, cost, finished_at IS NOT NULL AS finished FROM go.steps WHERE run_id = $1 ORDER BY position`,
).rows<{ input: ResearchStep; finished: boolean }>();

const BEGIN = statement(
  'go-journal.begin',
  `INSERT INTO go.steps (run_id, org_id, position, input)
   SELECT r.id, r.org_id, $3, $4::json FROM go.runs r WHERE r.id = $1 AND r.lease_token = $2 AND r.status = 'running' RETURNING 1`,
);

const FINISH = statement(
  'go-journal.finish',
  `UPDATE go.steps s SET result = $4::json, cost = $5, finished_at = clock_timestamp() FROM go.runs r
   WHERE s.run_id = $1 AND s.position = $3 AND s.finished_at IS NULL AND r.id = s.run_id AND r.lease_token = $2 AND r.status = 'running'
   RETURNING 1`,
);

const KEEP_PAGE = statement(
  'go-journal.keepPage',
  `INSERT INTO go.pages (org_id, mode, sha256, text, kept_until)
   VALUES (${TENANT}, $2, $3, clock_timestamp() + make_interval(days => $4))
   ON CONFLICT (org_id, mode, sha256) DO UPDATE SET kept_until = excluded.kept_until`,
);

const PAGE = statement('go-journal.page', `SELECT text FROM go.pages WHERE ${ofTenant()} AND sha256 = $2`);
