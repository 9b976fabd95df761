import { Option, type Command } from 'commander';
import { addAccountCommands } from './commands/account.js';
import { addApiCommand } from './commands/api.js';
import { addCallCommands } from './commands/call.js';
import { addCompletionCommands } from './commands/completion.js';
import { addCreditCommands } from './commands/credits.js';
import { addEventCommands } from './commands/events.js';
import { addExclusionCommands } from './commands/exclusions.js';
import { addGoCommands } from './commands/go.js';
import { addListCommand } from './commands/list.js';
import { addMcpCommands } from './commands/mcp.js';
import { addMonitorCommands } from './commands/monitors.js';
import { addOutreachCommands } from './commands/outreach.js';
import { addRunCommands } from './commands/run.js';
import { addTableCommands } from './commands/tables.js';
import { addDestinationCommands } from './commands/destinations.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addExamples } from './examples.js';
import { EXIT_CODES_TEXT, UsageError } from './exit-codes.js';
import { QuarryCommand } from './quarry-command.js';

/**
 * Returns the program with all its commands.
 * @param writeErr receives errors about the command line; defaults to standard error
 */
export function buildProgram(writeErr?: (text: string) => void): Command {
  const program = new QuarryCommand('quarry')
    .description('Finds companies and people from prompts, and runs lookups over lists.')
    .version('0.2.0')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .enablePositionalOptions(false)
    .addOption(new Option('--profile <name>', 'the profile to use'))
    .addOption(new Option('--json', 'print the JSON document of the API').conflicts(['jsonl', 'csv']))
    .addOption(new Option('--jsonl', 'print one JSON document per line').conflicts(['json', 'csv']))
    .addOption(new Option('--csv', 'print CSV, also on a screen'))
    .addOption(new Option('-o, --output <file>', 'write to a file: .csv, .json or .jsonl'))
    .addOption(new Option('--excel', 'start CSV with a byte order mark, for Excel'))
    .addOption(new Option('-q, --quiet', 'print only errors on standard error'));
  addAccountCommands(program);
  addRunCommands(program);
  addListCommand(program);
  addCallCommands(program);
  addTableCommands(program);
  addExclusionCommands(program);
  addEventCommands(program);
  addWebhookCommands(program);
  addMonitorCommands(program);
  addOutreachCommands(program);
  addDestinationCommands(program);
  addGoCommands(program);
  addCreditCommands(program);
  addMcpCommands(program);
  addApiCommand(program);
  addCompletionCommands(program);
  program.addHelpText('after', '\n“quarry help exit-codes” lists the exit codes.');
  program
    .command('exit-codes', { hidden: true })
    .description(EXIT_CODES_TEXT)
    .action(() => void process.stdout.write(EXIT_CODES_TEXT));
  addExamples(program);
  program.hook('preAction', (_program, { args, registeredArguments }) => {
    const empty = registeredArguments[args.findIndex((arg) => arg.trim() === '')];
    if (empty && !empty.variadic) throw new UsageError(`${empty.name()} is empty.`);
  });
  for (const each of everyCommand(program))
    each
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError('(--help shows the usage)')
      .configureOutput(writeErr ? { writeErr } : {});
  return program;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
