import { describe, expect, it } from '@jest/globals';
import { faultsError } from '@quarry/dto';
import { AppError, ERROR_CODES, type ErrorCode } from '@quarry/error-codes';
import { ANSWER_BYTES_MAX, bytesOf } from './answer-size.js';
import { requireShortNames } from './message-names.js';
import { failedResult, refusedResult } from './tool-error.js';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const metaOf = (result: { _meta?: Record<string, unknown> }) =>
  result._meta!['quarry/error'] as Record<string, unknown>;
const textOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text;

describe('the error of a tool, as a model reads it', () => {
  it.each(CODES)(
    '%s says what happened, what to do next, and whether the same call can succeed later',
    (code) => {
      const result = failedResult(new AppError(code, 'It did not work'));
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^It did not work\. [A-Z].+\.$/);
      expect(metaOf(result)).toEqual({ code, retryable: ERROR_CODES[code].retryable });
    },
  );

  it.each([
    ['Ends by a stop.', 'Ends by a stop. '],
    ['Really?', 'Really? '],
    ['Now!', 'Now! '],
    ['prompt is required', 'prompt is required. '],
  ])('ends each of its parts like a sentence: %s', (message, start) => {
    expect(textOf(failedResult(new AppError('invalid_request', message))).startsWith(start)).toBe(true);
  });

  it.each([
    ['send its inputs to POST /v1/services/jobs/batch.', 'send its inputs to service_batch_execute.'],
    ['call it directly on POST /services/webSearch.', 'call it directly on service_execute.'],
    ['GET /services/{name} lists them', 'service_discover lists them.'],
    ['A cap is reached: GET /v1/limits shows it.', 'A cap is reached: the web application shows it.'],
    ['by POST /v1/plans/plan_1/runs.', 'by retriever_build_list_start.'],
    ['See DELETE /v1/webhooks/{id}.', 'See the HTTP API.'],
  ])('names the tool, never a route of the HTTP API: %s', (message, text) => {
    const result = failedResult(
      new AppError('validation_error', message, { details: [{ path: 'service', message }] }),
    );
    expect(textOf(result)).toContain(text);
    expect(JSON.stringify(result)).not.toMatch(/(GET|POST|PUT|DELETE) \//);
  });

  it.each([
    ['Service not found.', 'service_discover lists services.'],
    ['Batch not found.', 'service_batch_execute returns it.'],
    ['Plan not found.', 'retriever_build_list_start with plan_only returns it.'],
    ['Sequence not found.', 'sequence_list lists sequences.'],
    ['Approval not found.', 'sequence_approval_request returns it.'],
    ['Mailbox not found.', 'sequence_mailboxes_get lists mailboxes.'],
    ['Thread not found.', 'inbox_threads_get lists threads.'],
    ['View not found, or it has expired.', 'Check the id.'],
  ])('says where to find what is missing, and only then: %s', (message, next) => {
    const text = textOf(failedResult(new AppError('not_found', message)));
    expect(text).toMatch(/^[^.]+\. Check [^.]+\.$/);
    expect(text).toContain(next);
  });

  it.each([
    [{ 'Retry-After': '7' }, 7],
    [{ 'Retry-After': '0' }, undefined],
    [{ 'Retry-After': 'soon' }, undefined],
    [{}, undefined],
  ])('names seconds to wait only if there are any: %j', (headers, seconds) => {
    expect(metaOf(failedResult(new AppError('rate_limited', 'Wait.', { headers }))).retry_after).toBe(
      seconds,
    );
  });

  it('says for a key whose first call is still running that the same call can succeed later', () => {
    const headers = { 'Retry-After': '1' };
    const busy = failedResult(new AppError('idempotency_conflict', 'It is at work.', { headers }));
    expect(textOf(busy)).toBe('It is at work. Wait for retry_after seconds, then repeat the call.');
    expect(metaOf(busy)).toEqual({ code: 'idempotency_conflict', retryable: true, retry_after: 1 });
  });

  it.each([
    [[], 'It has nobody to write to: enrol somebody first.'],
    [['steps', 1, 'body'], 'steps[1].body has no value. Correct the named arguments and call again.'],
  ])('asks for other arguments only if a field is named: %j', (path, text) => {
    const message = path.length === 0 ? text : 'steps[1].body has no value.';
    expect(textOf(failedResult(faultsError('resources', [{ path, message }])))).toBe(text);
  });

  it('reveals no cause and no facts, which belong to the log', () => {
    const error = new AppError('internal_error', 'An unexpected error happened.', {
      cause: new Error('relation "runs" does not exist'),
      facts: { sql: 'SELECT 1' },
    });
    expect(JSON.stringify(failedResult(error))).not.toMatch(/relation|SELECT/);
  });

  it('stays within the size limit, with the first of many errors', () => {
    const details = Array.from({ length: 2_000 }, (_, i) => ({
      path: `inputs[${i}]`,
      message: '😀'.repeat(80),
    }));
    const result = failedResult(new AppError('validation_error', '😀'.repeat(5_000), { details }));
    expect(bytesOf(result)).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
    const kept = metaOf(result).details as unknown[];
    expect(kept.length).toBeGreaterThan(50);
    expect(kept).toEqual(details.slice(0, kept.length));
    // Half of a surrogate pair would be decoded as another character.
    expect(Buffer.from(textOf(result)).toString()).toBe(textOf(result));
    expect(textOf(result).endsWith('…')).toBe(true);
  });

  it('passes on other details unchanged', () => {
    const details = { retry: { name: 'x', arguments: { max_credits: 6 } } };
    expect(
      metaOf(refusedResult('Too much.', { code: 'confirmation_required', retryable: true, details })),
    ).toEqual({ code: 'confirmation_required', retryable: true, details });
  });
});

describe('names in an MCP message', () => {
  const version = (value: unknown) => ({
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': value } },
  });
  const long = 'x'.repeat(201);

  it.each([
    ['method', { method: long }],
    ['id', { id: long }],
    ['params.name', { params: { name: long } }],
    ['params._meta["io.modelcontextprotocol/protocolVersion"]', version(long)],
  ])('that are too long are refused, and not echoed: %s', (path, message) => {
    const refusal = (() => {
      try {
        requireShortNames(message);
      } catch (error) {
        return error as AppError;
      }
      return null;
    })();
    expect(refusal).toMatchObject({
      code: 'invalid_request',
      message: `${path} must have at most 200 characters.`,
    });
  });

  it.each([
    [null],
    [undefined],
    [5],
    ['x'],
    [[]],
    [{ method: 'x'.repeat(200), id: 5, params: null }],
    [{ id: { much: long }, params: { name: [long], _meta: null } }],
    [version(7)],
  ])('of other types are left to the protocol', (message) => {
    expect(() => requireShortNames(message)).not.toThrow();
  });
});
