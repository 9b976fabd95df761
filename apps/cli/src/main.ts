#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError } from './describe-error.js';
import { EXIT, exitCodeOf, UsageError } from './exit-codes.js';
import { buildProgram } from './program.js';

// A reader that closes early, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`quarry: The answer cannot be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

const isJson = process.argv.includes('--json');
const program = buildProgram(isJson ? () => undefined : undefined);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (isJson && error.exitCode !== 0) process.stderr.write(describeError(usageErrorOf(error), true));
  } else {
    const isInterrupted = error instanceof Error && error.name === 'AbortError';
    process.exitCode = isInterrupted ? EXIT.interrupted : exitCodeOf(error);
    if (!isInterrupted) process.stderr.write(describeError(error, isJson));
  }
}

/** Returns the JSON error for a wrong command line. */
function usageErrorOf({ code, message }: CommanderError): UsageError {
  // A group without a command shows its help.
  if (code === 'commander.help') return new UsageError('No command was given; --help lists the commands.');
  return new UsageError(message.replace(/^error: /, '').replace(/\s+/g, ' '));
}
