#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError } from './describe-error.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { buildProgram } from './program.js';

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
