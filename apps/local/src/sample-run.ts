import { setTimeout as delay } from 'node:timers/promises';
import type { RowJson, RunJson, TableJson } from '@quarry/dto';
import type { ApiClient } from '@quarry/composition';
import { textTable } from './text-table.js';

export const SAMPLE_PROMPT =
  '8 marketing directors at software or fintech companies in the United States, with work e-mail';

const WAIT_MS = 60_000;
const POLL_MS = 100;

/** Runs the sample prompt through the public API. @returns the table as text, below the message of the run */
export async function sampleRun(api: ApiClient): Promise<string> {
  const run = await waitForRun(api, await api.post<RunJson>('/v1/runs', { prompt: SAMPLE_PROMPT }));
  const artifact = run.artifacts[0];
  if (run.status !== 'completed' || !artifact)
    return `The sample run ended ${run.status}: ${run.error?.message ?? run.message}`;
  const table = await api.get<TableJson>(artifact.links.self);
  const { items } = await api.get<{ items: RowJson[] }>(`${artifact.links.rows}?limit=8`);
  return `${textTable(
    table.columns,
    items.map((row) => row.values),
  )}\n\n${run.message}`;
}

async function waitForRun(api: ApiClient, run: RunJson): Promise<RunJson> {
  const deadline = performance.now() + WAIT_MS;
  let now = run;
  while (['queued', 'running', 'recovering'].includes(now.status) && performance.now() < deadline) {
    await delay(POLL_MS);
    now = await api.get<RunJson>(run.links.self);
  }
  return now;
}
