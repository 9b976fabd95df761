import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { buildProgram } from './program.js';

interface Operation {
  'x-quarry'?: { command?: string | null };
}
const { paths } = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Operation>> };
const COMMANDS = Object.values(paths).flatMap((operations) =>
  Object.values(operations).flatMap(({ 'x-quarry': traits }) => traits?.command ?? []),
);

describe('commands that the description of the API names', () => {
  it('are there, with the options that it gives them', () => {
    const missing = COMMANDS.filter((line) => {
      const words = line.split(' ');
      let command: Command = buildProgram();
      const program = command;
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word);
        if (!next) break;
        command = next;
      }
      const options = [command, ...command.commands, program].flatMap((each) =>
        each.options.flatMap(({ long, short }) => [long, short]),
      );
      const isKnown = words.every((word) => !word.startsWith('-') || options.includes(word));
      return command === program || !isKnown;
    });
    expect(COMMANDS.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });
});
