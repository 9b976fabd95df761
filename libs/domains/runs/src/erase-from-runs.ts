import type { Ctx } from '@quarry/app';
import {
  erasurePages,
  lookingForPerson,
  ofTenant,
  tenantOf,
  type Database,
  type ErasurePart,
  type SoughtPerson,
  type TxCtx,
} from '@quarry/postgres';
import { workspaceName } from './workspace-name.js';
import { statement } from './statements.types.js';

const RUNS_PER_STATEMENT = 200;
/** Fewer, because a step may hold the evidence of a hundred thousand rows. */
const RUNS_PER_SEARCH_OF_STEPS = 20;

type Texts = { prompt: string; message: string } & Record<
  'output_contract' | 'output' | 'artifacts',
  unknown
>;
type Counts = 'runs' | 'steps' | 'names' | 'in_work';

/** Clears the name of a workspace if it is still the given one. @returns whether it was */
type EraseName = (database: Database, tx: TxCtx, workspace: { id: string; name: string }) => Promise<boolean>;

/**
 * Erases a person from the ended runs of the context's organisation and mode. If the prompt names the person, it is cleared
 * together with the message, all steps and the workspace name, which repeat parts of it. Otherwise only the steps that name the
 * person are deleted. Published outputs lose the texts that name the person. May be repeated.
 * @returns `runs`: changed; `steps`: deleted; `names`: workspace names cleared; `in_work`: runs about the person that have not
 * ended and were left unchanged
 */
async function eraseFromRuns(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
  eraseName: EraseName,
): Promise<Record<Counts, number>> {
  const sum = { runs: 0, steps: 0, names: 0, in_work: 0 };
  const pages = erasurePages(RUNS_PER_STATEMENT, (before) =>
    database.query(ctx, READ_PAGE[person.sought], [tenantOf(ctx), ...before, person.patterns]),
  );
  for await (const page of pages) {
    const ids = page.map(({ id }) => id);
    const steps = await stepsAbout(database, ctx, person, ids);
    for (const run of page) {
      const named = run.found !== null && person.isIn(run.found) ? run.found : null;
      const names = steps.filter(({ run_id: id }) => id === run.id).map(({ name }) => name);
      if (named === null && names.length === 0) continue;
      if (!run.ended) {
        sum.in_work += 1;
        continue;
      }
      const prompt = named && person.isIn(named.prompt) ? named.prompt : null;
      const erased = await database.transaction(ctx, async (tx) => {
        if (named) await redactRun(database, tx, person, run.id, named);
        const steps = await database.query(tx, DELETE_STEPS, [run.id, prompt !== null, names]);
        const isRenamed =
          prompt !== null &&
          (await eraseName(database, tx, { id: run.workspace_id, name: workspaceName(prompt) }));
        return { steps: steps.length, names: isRenamed ? 1 : 0 };
      });
      sum.runs += named ? 1 : 0;
      sum.steps += erased.steps;
      sum.names += erased.names;
    }
  }
  return sum;
}

async function stepsAbout(
  database: Database,
  ctx: Ctx,
  person: SoughtPerson,
  runIds: string[],
): Promise<Array<{ run_id: string; name: string }>> {
  const found: Array<{ run_id: string; name: string }> = [];
  for (let at = 0; at < runIds.length; at += RUNS_PER_SEARCH_OF_STEPS) {
    const searched = runIds.slice(at, at + RUNS_PER_SEARCH_OF_STEPS);
    const named = await database.query(ctx, RUNS_OF_STEPS[person.sought], [searched, person.patterns]);
    // One at a time, because all of its steps are read into memory.
    for (const { run_id: runId } of named) {
      const steps = await database.query(ctx, STEPS_ABOUT[person.sought], [runId, person.patterns]);
      found.push(...steps.filter(({ input, result }) => person.isIn(input, result)));
    }
  }
  return found;
}

async function redactRun(
  database: Database,
  tx: TxCtx,
  person: SoughtPerson,
  runId: string,
  texts: Texts,
): Promise<void> {
  const json = (value: unknown): string | null =>
    value === null ? null : JSON.stringify(person.redacted(value, null));
  await database.query(tx, REDACT, [
    tenantOf(tx),
    runId,
    String(person.redacted(texts.prompt, '')),
    person.isIn(texts.prompt) ? '' : String(person.redacted(texts.message, '')),
    json(texts.output_contract),
    json(texts.output),
    JSON.stringify(person.redacted(texts.artifacts, 'Erased')),
  ]);
}

const DELETE_STEPS = statement(
  'erase-from-runs.deleteSteps',
  'DELETE FROM runs.steps WHERE run_id = $1 AND ($2 OR name = ANY ($3)) RETURNING 1',
);

const REDACT = statement(
  'erase-from-runs.redact',
  `
  UPDATE runs.runs SET prompt = $3, message = $4, output_contract = $5, output = $6, artifacts = $7
  WHERE ${ofTenant()} AND id = $2`,
);

const READ_PAGE = lookingForPerson((by, condition) =>
  statement(
    `erase-from-runs.readPage.${by}`,
    `SELECT id, workspace_id, at, ended, CASE WHEN ${condition('texts::text', '$4')} THEN texts END AS found FROM (
       SELECT id, workspace_id, created_at::text AS at, ended_at IS NOT NULL AS ended, jsonb_build_object('prompt', prompt, 'message', message,
         'output_contract', output_contract, 'output', output, 'artifacts', artifacts) AS texts FROM runs.runs
       WHERE ${ofTenant()} AND ($2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::text))
       ORDER BY created_at DESC, id DESC LIMIT ${RUNS_PER_STATEMENT}) AS page`,
  ).rows<{ at: string; ended: boolean; found: Texts | null }>(),
);

const RUNS_OF_STEPS = lookingForPerson((by, condition) =>
  statement(
    `erase-from-runs.runsOfSteps.${by}`,
    `SELECT DISTINCT run_id FROM runs.steps
     WHERE run_id = ANY ($1::text[]) AND ${condition("concat(input, ' ', result)", '$2')}`,
  ),
);

const STEPS_ABOUT = lookingForPerson((by, condition) =>
  statement(
    `erase-from-runs.stepsAbout.${by}`,
    `SELECT run_id, name, input, result FROM runs.steps
     WHERE run_id = $1 AND ${condition("concat(input, ' ', result)", '$2')}`,
  ),
);

const OPEN_RUNS = statement(
  'erase-from-runs.openRuns',
  `SELECT 1 AS open FROM runs.runs WHERE ${ofTenant()} AND status IN ('queued', 'running', 'recovering')
     AND ($2::timestamptz IS NULL OR created_at <= $2::timestamptz) LIMIT 1`,
);

/** Returns the part of an erasure for runs. Workspace names belong to the tables library, which passes `eraseName`. */
export const runErasure = (eraseName: EraseName): ErasurePart<Counts> => ({
  erase: (database, ctx, person) => eraseFromRuns(database, ctx, person, eraseName),
  openWork: [OPEN_RUNS],
});
