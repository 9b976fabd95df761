import { AnswerCheck } from './answer-check.js';

/**
 * For Jest's `setupFiles`: every response of the product that a test fetches is validated against the description of the
 * API, so that none of them can differ from it.
 */
const check = AnswerCheck.open();
const plain = globalThis.fetch;
const OF_SESSION = /^\/app\/api\/(live|test)(?=\/(v1|services|credits)(\/|$))/;

globalThis.fetch = async (input, init) => {
  const response = await plain(input, init);
  // Every response of the product's edge has a request id; others are not checked.
  if (!response.headers.has('x-request-id')) return response;
  const request = input instanceof Request ? input : new Request(input, { ...init, body: null });
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(request.method)) return response;
  const { status, headers } = response;
  // The same API is available with a session; endpoints for the web application only are not described.
  const path = new URL(request.url).pathname.replace(OF_SESSION, '');
  // Pages behind links in messages are not described either.
  if (path.startsWith('/app/') || path.startsWith('/u/')) return response;
  const type = headers.get('content-type') ?? '';
  const checkBody = (body: string): void => {
    const fault = check.faultOf(request.method, path, status, type, body);
    if (fault !== null) throw new Error(fault);
  };
  // An event stream may depend on what its reader does meanwhile, so it is checked at its end.
  if (type.startsWith('text/event-stream') && response.body)
    return new Response(response.body.pipeThrough(checkedAtItsEnd(checkBody)), response);
  checkBody(await response.clone().text());
  return response;
};

function checkedAtItsEnd(checkBody: (body: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let body = '';
  return new TransformStream({
    transform: (piece, controller) => {
      body += decoder.decode(piece, { stream: true });
      controller.enqueue(piece);
    },
    flush: () => checkBody(body + decoder.decode()),
  });
}
