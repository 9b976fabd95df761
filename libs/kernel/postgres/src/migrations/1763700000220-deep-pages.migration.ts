import type { MigrationInterface, QueryRunner } from 'typeorm';

const NEW: ReadonlyArray<readonly [name: string, on: string]> = [
  // With the workspace, which says whether a run is shown.
  ['runs.runs_newest_first', 'runs.runs (org_id, mode, created_at DESC, id DESC) INCLUDE (workspace_id)'],
  ['runs.runs_in_workspace', 'runs.runs (org_id, mode, workspace_id, created_at DESC, id DESC)'],
  [
    'jobs.jobs_completed_of_service',
    'jobs.jobs (org_id, mode, service, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NULL AND provider IS NOT NULL',
  ],
  [
    'jobs.jobs_failed_of_service',
    'jobs.jobs (org_id, mode, service, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NOT NULL',
  ],
];

/** Replaced by those of runs, which the version before uses as well. */
const OLD: ReadonlyArray<readonly [name: string, on: string]> = [
  ['runs.runs_of_org', 'runs.runs (org_id, mode, created_at DESC, id DESC)'],
  ['runs.runs_of_workspace', 'runs.runs (org_id, workspace_id, created_at DESC, id DESC)'],
];

/** Indexes that answer for what an offset of a list passes over, so that no row of it is read. */
export class AddDeepPages1763700000220 implements MigrationInterface {
  readonly name = 'AddDeepPages1763700000220';
  /** Outside of a transaction, where an index can be built without keeping writers out. */
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return replace(runner, OLD, NEW);
  }

  down(runner: QueryRunner): Promise<void> {
    return replace(runner, NEW, OLD);
  }
}

async function replace(runner: QueryRunner, before: typeof OLD, after: typeof OLD): Promise<void> {
  for (const [name, on] of after) {
    // An interrupted build leaves no index that can be used.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name.split('.')[1]!} ON ${on}`);
  }
  for (const [name] of before) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
