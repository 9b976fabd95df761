import { ApiError, ConnectionError, type ErrorDetail } from '@quarry/sdk';
import { Argument } from 'commander';
import { UsageError } from '../exit-codes.js';
import { readBytes } from '../files.js';
import type { QuarryCommand } from '../quarry-command.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

interface Refusal {
  error?: { code?: string; message?: string; details?: ErrorDetail[] };
}

/** Adds the command for operations of the API without a command of their own. */
export function addApiCommand(program: QuarryCommand): void {
  program
    .command('api')
    .description('Sends one API request and prints the answer. /docs on the server lists the requests.')
    .addArgument(new Argument('<method>', 'of HTTP').choices(METHODS))
    .argument('<path>', 'path and query, such as /v1/runs?limit=5')
    .option('--input <file>', 'body: a JSON, .csv or .xlsx file; - for standard input')
    .option('--idempotency-key <key>', 'key under which the request is done once')
    .withSession(
      async (
        session,
        method: string,
        path: string,
        { input, idempotencyKey }: { input?: string; idempotencyKey?: string },
      ) => {
        const { url, apiKey } = session.profile;
        if (!path.startsWith('/')) throw new UsageError('The path must begin with /.');
        const type = TYPES[input?.split('.').at(-1) ?? ''] ?? 'application/json';
        const target = new URL(path.slice(1), url.replace(/\/?$/, '/'));
        // The key must not be sent to another server.
        if (target.origin !== new URL(url).origin)
          throw new UsageError(`The path leads to ${target.origin}, not to ${new URL(url).origin}.`);
        const response = await fetch(target, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            ...(input === undefined ? {} : { 'content-type': type }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(input === undefined ? {} : { body: readBytes(input) }),
        }).catch((error: unknown) => {
          throw new ConnectionError('The server did not answer.', { cause: error });
        });
        const text = await response.text();
        if (response.status === 415 && input === undefined)
          throw new UsageError('This request needs a body: --input FILE, or --input - for standard input.');
        if (!response.ok) throw refusalOf(response, text);
        if (text !== '') await session.openOutput().write(text.endsWith('\n') ? text : `${text}\n`);
      },
    );
}

function refusalOf({ status, headers }: Response, text: string): ApiError {
  let refusal: Refusal = {};
  try {
    refusal = JSON.parse(text) as Refusal;
  } catch {
    // The body of a proxy may be anything.
  }
  const {
    code = 'unknown_error',
    message = `The server answered ${status}.`,
    details = [],
  } = refusal.error ?? {};
  return new ApiError(
    message,
    status,
    code,
    details,
    headers.get('x-request-id'),
    Number(headers.get('retry-after')) || null,
  );
}
