#!/usr/bin/env node
import { ApiError } from '@quarry/sdk';
import { CommanderError } from 'commander';
import { buildProgram } from './program.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { toPrintable } from './output.js';

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed);
});

const program = buildProgram();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    const isInterrupted = error instanceof Error && error.name === 'AbortError';
    process.exitCode = isInterrupted ? EXIT.interrupted : exitCodeOf(error);
    if (!isInterrupted) process.stderr.write(describeError(error, process.argv.includes('--json')));
  }
}

function describeError(error: unknown, isJson: boolean): string {
  if (!(error instanceof Error)) return `${String(error)}\n`;
  const api = error instanceof ApiError ? error : null;
  if (isJson) {
    const { code, details, requestId } = api ?? { code: error.name, details: [], requestId: null };
    return `${JSON.stringify({ error: { code, message: error.message, details, request_id: requestId } })}\n`;
  }
  // Details that the message gives already are not repeated.
  const details = (api?.details ?? [])
    .filter(({ message }) => message === undefined || !error.message.includes(message))
    .map(({ path, message }) => [[path].flat().join('.'), message].filter(Boolean).join(': '))
    .map((text) => `\n  ${text}`);
  const request = api?.requestId ? `\n  request ${api.requestId}` : '';
  return `quarry: ${toPrintable(error.message)}${details.join('')}${request}\n`;
}
