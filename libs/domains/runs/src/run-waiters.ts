import { Injectable } from '@nestjs/common';
import { EndWaiters, Lifecycle } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Holds reads until their run has ended or this process stops. */
@Injectable()
export class RunWaiters extends EndWaiters {
  constructor(database: Database, { stopping }: Lifecycle) {
    super(
      async (ctx, ids) => (await database.query(ctx, ENDED_AMONG, [ids], 'read')).map(({ id }) => id),
      stopping,
    );
  }
}

const ENDED_AMONG = statement(
  'run-waiters.endedAmong',
  'SELECT id FROM runs.finished_runs WHERE id = ANY ($1)',
).rows<{ id: string }>();
