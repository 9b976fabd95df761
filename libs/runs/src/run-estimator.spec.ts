import { describe, expect, it } from '@jest/globals';
import type { CreateRunRequest } from '@quarry/dto';
import { PlanningTimeoutError, type PlanIntent, type Planner } from '@quarry/plan';
import type { Ctx, Database } from '@quarry/platform';
import { FakePlanner } from '@quarry/prompt-fixtures';
import { PromptPlans } from './agent/prompt-plans.js';
import type { TableWriterPort } from './ports/table-writer.port.js';
import { RunEstimator } from './run-estimator.js';

const CTX: Ctx = { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'spec', timeoutMs: null };
const PROMPT = '20 people with emails and phones';
const COUNT = { value: 20, fragments: ['20'], from: 'prompt' } as const;
const paid = (service: 'getEmail' | 'getPhoneNumber', fragment: string): PlanIntent['columns'][number] => ({
  source: { from: 'service', service },
  required: false,
  fragments: [fragment],
  from: 'prompt',
});
const EMAIL = paid('getEmail', 'emails');
const PHONE = paid('getPhoneNumber', 'phones');

/** Estimates what an intent can cost: people, and what it says beside them. */
function estimate(intent: Partial<PlanIntent>, body: Partial<CreateRunRequest> = {}) {
  return estimatorWith(new FakePlanner(() => ({ entity: 'person', ...intent }))).estimate(CTX, {
    prompt: PROMPT,
    ...body,
  });
}

function estimatorWith(planner: Planner): RunEstimator {
  // A first prompt has no conversation, and reads no table: whatever else is asked for fails.
  const database = {} as Database;
  return new RunEstimator(database, new PromptPlans(database, planner, {} as TableWriterPort));
}

describe('the estimate of a run', () => {
  it('is nothing for a prompt without paid columns', async () => {
    expect(await estimate({ count: COUNT })).toEqual({ rows: 0, creditsMax: 0 });
  });

  it('is the rows by the prices of their paid columns', async () => {
    expect(await estimate({ count: COUNT, columns: [EMAIL] })).toEqual({ rows: 20, creditsMax: 20 });
    expect(await estimate({ count: COUNT, columns: [EMAIL, PHONE] })).toEqual({
      rows: 20,
      creditsMax: 20 * (1 + 10),
    });
  });

  it('takes the rows that a prompt without a number gets', async () => {
    expect(await estimate({ columns: [EMAIL] })).toEqual({ rows: 100, creditsMax: 100 });
  });

  it('is the sum of the tables of a contract, each with its own bound', async () => {
    const planner = new FakePlanner();
    const plan: Planner['plan'] = async (...ask) => {
      const [people, ...others] = await planner.plan(...ask);
      return [{ ...people!, count: COUNT }, ...others];
    };
    const output = {
      tables: [
        { key: 'a', entity: 'person', columns: [{ key: 'name' }, { key: 'email' }] },
        { key: 'b', entity: 'person', columns: [{ key: 'phone' }], max_rows: 3 },
        { key: 'c', entity: 'company', columns: [{ key: 'name' }] },
      ],
    };
    const estimated = await estimatorWith({ plan }).estimate(CTX, { prompt: PROMPT, output });
    expect(estimated).toEqual({ rows: 20 + 3, creditsMax: 20 + 3 * 10 });
  });

  it('is nothing for a prompt that is not read well, as its run fails before it spends', async () => {
    const columns = [paid('getEmail', 'faxes')];
    expect(await estimate({ count: COUNT, columns })).toEqual({ rows: 0, creditsMax: 0 });
  });

  it('is refused with the fault of a contract, and when the prompt cannot be read in time', async () => {
    await expect(estimate({}, { output: { tables: [] } })).rejects.toMatchObject({ code: 'invalid_request' });
    const late = estimatorWith({ plan: () => Promise.reject(new PlanningTimeoutError('Too late.')) });
    await expect(late.estimate(CTX, { prompt: PROMPT })).rejects.toMatchObject({ code: 'agent_error' });
  });
});
