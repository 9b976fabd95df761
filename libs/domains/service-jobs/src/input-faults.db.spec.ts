import { beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotentRequests } from '@quarry/postgres';
import { CreditLedger } from '@quarry/credit-ledger';
import { AppError, type ErrorDetail } from '@quarry/error-codes';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { BatchStore } from './batch.store.js';

const ctx = testCtx('org_faults');
const test = useTestDatabase();
let store: BatchStore;

beforeAll(() => {
  store = new BatchStore(
    test.database,
    new IdempotentRequests(test.database),
    new CreditLedger(test.database),
    () => Promise.resolve(),
  );
});

type Inputs = Array<Record<string, unknown>>;

async function refusal(work: Promise<unknown>): Promise<AppError & { details: ErrorDetail[] }> {
  const error: unknown = await work.then(() => null).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError & { details: ErrorDetail[] };
}
const sent = (service: string, inputs: Inputs) => refusal(store.createBatch(ctx, { service, inputs }));
const estimated = (service: string, inputs: Inputs) => refusal(store.estimateBatch(ctx, { service, inputs }));

describe('errors in the inputs of a batch', () => {
  const research = { question: 'Who?', urls: ['a', 'b', 'c', 7] };

  it('have a text path with brackets around every index when the batch is submitted', async () => {
    const { code, message, details } = await sent('webResearch', [{ question: 'What?' }, research]);
    expect([code, details.map(({ path }) => path)]).toEqual(['invalid_request', ['inputs[1].urls[3]']]);
    expect(message).toBe(details[0]!.message);
    expect(message).toMatch(/^inputs\[1\]\.urls\[3\] must be a string$/);
  });

  it('have a path of segments when the price is estimated', async () => {
    const { code, message, details } = await estimated('webResearch', [{ question: 'What?' }, research]);
    expect([code, details.map(({ path }) => path)]).toEqual([
      'validation_error',
      [['inputs', '1', 'urls', '3']],
    ]);
    expect(message).toMatch(/^inputs\[1\]\.urls\[3\] must be a string$/);
  });

  it('name an unknown field, at the input that has it', async () => {
    const input = { first_name: 'Ada', nickname: 'A' };
    const message = 'inputs[0]: Unrecognized key: "nickname"';
    expect((await sent('getEmail', [input])).details).toEqual([{ path: 'inputs[0]', message }]);
    expect((await estimated('getEmail', [input])).details).toEqual([{ path: ['inputs', '0'], message }]);
  });

  it.each([
    ['sent', sent],
    ['estimated', estimated],
  ])('are named up to a hundred, in message and details alike, when a batch is %s', async (_, refused) => {
    const faulty = { first_name: 1, last_name: 2 };
    const { message, details } = await refused('getEmail', Array<typeof faulty>(51).fill(faulty));
    expect(details).toHaveLength(100);
    expect(message).toBe(`${details.map((each) => each.message).join('; ')}; and 2 more`);
  });
});
