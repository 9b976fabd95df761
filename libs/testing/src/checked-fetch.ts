import { AnswerCheck } from './answer-check.js';

/**
 * For Jest's `setupFiles`: every answer of the product that a test reads with fetch is held against the description of
 * the API, so that none of them can differ from it.
 */
const check = AnswerCheck.open();
const plain = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plain(input, init);
  // What carries no request id is not from the product's edge.
  if (!response.headers.has('x-request-id')) return response;
  const request = input instanceof Request ? input : new Request(input, { ...init, body: null });
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(request.method)) return response;
  const { status, headers } = response;
  const body = await response.clone().text();
  const path = new URL(request.url).pathname;
  const fault = check.faultOf(request.method, path, status, headers.get('content-type') ?? '', body);
  if (fault !== null) throw new Error(fault);
  return response;
};
