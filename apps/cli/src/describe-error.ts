import { ApiError, ConnectionError } from '@quarry/sdk';
import { toPrintable } from './screen.js';

/** Returns the text of a failed command for standard error: sentences, or one JSON document. */
export function describeError(error: unknown, isJson: boolean): string {
  if (!(error instanceof Error)) return `${String(error)}\n`;
  const api = error instanceof ApiError ? error : null;
  if (isJson) {
    const { code, details, requestId } = api ?? { code: error.name, details: [], requestId: null };
    const message = [error.message, ...reasonOf(error)].join(' ');
    return `${JSON.stringify({ error: { code, message, details, request_id: requestId } })}\n`;
  }
  // Details that are part of the message are not repeated.
  const details = (api?.details ?? [])
    .filter(({ message }) => message === undefined || !error.message.includes(message))
    .map(({ path, message }) => [[path].flat().join('.'), message].filter(Boolean).join(': '));
  const notes = [...details, ...adviceFor(error), ...(api?.requestId ? [`request ${api.requestId}`] : [])];
  return [
    `quarry: ${toPrintable(messageOf(error))}`,
    ...notes.map((note) => `  ${toPrintable(note)}`),
    '',
  ].join('\n');
}

/** The API names a header, which users of the command line do not set. */
function messageOf(error: Error): string {
  return isRefusedKey(error) ? 'The key is unknown or was revoked.' : error.message;
}

function adviceFor(error: Error): string[] {
  if (isRefusedKey(error))
    return [
      'The key comes from QUARRY_API_KEY, or else from the current profile (“quarry profile list”). Create one in Settings, API keys, and store it with “quarry login”.',
    ];
  if (error instanceof ConnectionError)
    return [
      ...reasonOf(error),
      'Check that Quarry is running there. The address comes from QUARRY_URL, or else from the profile.',
    ];
  return [];
}

function reasonOf(error: Error): string[] {
  return error instanceof ConnectionError && error.cause instanceof Error ? [systemReasonOf(error)] : [];
}

function isRefusedKey(error: Error): boolean {
  return error instanceof ApiError && error.code === 'not_authenticated';
}

/** Returns the innermost cause, such as “connect ECONNREFUSED 127.0.0.1:3000”. */
export function systemReasonOf(error: Error): string {
  let innermost: Error = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return toPrintable(innermost.message);
}
