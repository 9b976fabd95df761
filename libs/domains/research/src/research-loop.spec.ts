import { describe, expect, it } from '@jest/globals';
import type { ResearchOutcome, ResearchStep } from '@quarry/language-models';
import { ResearchBudget, STEP_PRICES } from './research-budget.js';
import { performResearch, ResearchEnded, type ResearchWork } from './research-loop.js';

const think: ResearchStep = { kind: 'think' };
const read: ResearchStep = { kind: 'read', url: 'https://a.example', callId: null };
const thought: ResearchOutcome = { kind: 'think', answer: { text: '', toolCalls: [], finish: 'stop' } };
const nothing: ResearchOutcome = { kind: 'read', page: null, fault: 'gone' };

type Work = ResearchWork<ResearchStep, ResearchOutcome>;

/** Performs some steps, and records the requests and the applied results. */
async function performed(
  steps: ResearchStep[],
  most: number,
  more: Partial<Work> & { endsAfter?: number } = {},
) {
  const { endsAfter = Infinity, ...parts } = more;
  const [requests, applied]: [string[], string[]] = [[], []];
  const budget = new ResearchBudget(most, true);
  const waiting = [...steps];
  const end = await performResearch<ResearchStep, ResearchOutcome, 'model'>({
    budget,
    research: {
      next: () => waiting[0] ?? null,
      apply: ({ kind }, outcome) => {
        waiting.shift();
        applied.push(outcome.kind === 'think' ? kind : `${kind} ${outcome.fault}`);
      },
      ask: () => ({ messages: [], budget: { maxOutputTokens: 1, deadlineMs: 1 } }),
    },
    leftMs: () => endsAfter - requests.length,
    perform: (step, position) => {
      requests.push(`${position} ${step.kind}`);
      return Promise.resolve({
        outcome: step.kind === 'think' ? thought : nothing,
        cost: STEP_PRICES[step.kind],
      });
    },
    ...parts,
  });
  return { end: `${end.position} ${end.reason}`, requests, applied, used: budget.used };
}

describe('a research loop', () => {
  it('ends if no step follows, and every step was charged once', async () => {
    expect(await performed([think, read, think], 10_000)).toEqual({
      end: '3 complete',
      requests: ['0 think', '1 read', '2 think'],
      applied: ['think', 'read gone', 'think'],
      used: 3000,
    });
  });

  it('skips a page that would leave no credits for an answer, says so at no cost, and ends with the budget', async () => {
    const { end, requests, applied, used } = await performed([think, read, think, think], 2000);
    expect([end, requests, used]).toEqual(['3 budget', ['0 think', '2 think'], 2000]);
    expect(applied[1]).toMatch(/budget does not allow/);
  });

  it('starts no step after its time is over', async () => {
    expect(await performed([think, think, think], 10_000, { endsAfter: 2 })).toMatchObject({
      end: '2 time',
      used: 2000,
    });
  });

  it('counts the cost of recorded steps and does not repeat them, even after its time is over', async () => {
    const keep: Work['keep'] = ({ position }, begin, perform) =>
      position < 2 ? Promise.resolve({ outcome: thought, cost: 500 }) : perform(begin());
    expect(await performed([think, think, think], 10_000, { keep, endsAfter: 0 })).toMatchObject({
      end: '2 time',
      requests: [],
      used: 1000,
    });
  });

  it('tells the step journal which steps are refused', async () => {
    const refused: number[] = [];
    const keep: Work['keep'] = ({ position, isRefused }, begin, perform) => {
      if (isRefused) refused.push(position);
      return perform(begin());
    };
    await performed([think, read, think], 2000, { keep });
    expect(refused).toEqual([1]);
  });

  it('ends for the reason that a step gives, and fails on any other error', async () => {
    const perform: Work['perform'] = (_step, position) =>
      Promise.reject(position === 0 ? new ResearchEnded('model') : new Error('bug'));
    expect(await performed([think], 10_000, { perform })).toMatchObject({ end: '0 model', applied: [] });
    await expect(performed([think], 10_000, { perform, from: 1 })).rejects.toThrow('bug');
  });
});
