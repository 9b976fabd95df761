import { Injectable } from '@nestjs/common';
import { EndWaiters } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Holds reads until their Go run has ended. */
@Injectable()
export class GoWaiters extends EndWaiters {
  constructor(database: Database) {
    super(async (ctx, ids) => (await database.query(ctx, ENDED_AMONG, [ids], 'read')).map(({ id }) => id));
  }
}

const ENDED_AMONG = statement(
  'go-waiters.endedAmong',
  'SELECT id FROM go.runs WHERE id = ANY ($1) AND ended_at IS NOT NULL',
);
