import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { EXAMPLES, listCommands } from './examples.js';
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

describe('commands named in the OpenAPI description', () => {
  it('exist, with the options they name', () => {
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

describe('the help of a command', () => {
  const commands = listCommands(buildProgram());

  it('describes each argument and option', () => {
    const undescribed = commands.flatMap(({ command, path }) =>
      [...command.registeredArguments, ...command.options]
        .filter(({ description }) => !description)
        .map((each) => `${path} ${each.name()}`),
    );
    expect(commands.length).toBeGreaterThan(60);
    expect(undescribed).toEqual([]);
  });

  it('ends with an example, and no example is left over', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(commands.map(({ path }) => path).toSorted());
  });

  it.each(Object.entries(EXAMPLES))('of %s has an example that runs it: quarry %s', async (path, example) => {
    const called: string[] = [];
    const program = buildProgram().configureOutput({ writeErr: () => undefined });
    for (const each of listCommands(program)) each.command.action(() => void called.push(each.path));
    const [typed = ''] = example.split(' < ');
    const words = [...typed.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
      word.replace(/["']/g, ''),
    );
    await program.parseAsync(words, { from: 'user' });
    expect(called).toEqual([path]);
  });

  it.each(['run', 'go'])('of %s lists the options that work without a subcommand', (name) => {
    const group = buildProgram().commands.find((each) => each.name() === name)!;
    let help = '';
    group.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toMatch(/Without a command[\s\S]*--max-credits <n>[\s\S]*Example:\n {2}\$ quarry/);
  });
});
