import { Quarry } from '@quarry/sdk';
import { Argument, type Command } from 'commander';
import type { Session } from '../session.js';
import { SLOW_SERVICES } from './list.js';
import type { QuarryCommand } from '../quarry-command.js';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_quarry() { COMPREPLY=($(compgen -W "$(quarry __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}")); }
complete -o default -F _quarry quarry
`,
  zsh: `#compdef quarry
_quarry() { compadd -- \${(f)"$(quarry __complete -- "\${words[@]:1:$((CURRENT-2))}" 2>/dev/null)"}; _files }
compdef _quarry quarry
`,
  fish: `complete -c quarry -a '(quarry __complete -- (commandline -opc)[2..-1] 2>/dev/null)'
`,
  pwsh: `Register-ArgumentCompleter -Native -CommandName quarry -ScriptBlock {
  param($word, $line)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  quarry __complete '--' @words 2>$null | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
};

/** The most ids that are offered, newest first. */
const IDS_MAX = 20;
/** Milliseconds that completion may take. */
const TIMEOUT_MS = 2_000;

type Named = Readonly<Record<string, unknown>>;

/** Lists of resources by id prefix. */
const LISTS: Readonly<Record<string, (quarry: Quarry) => PromiseLike<{ items: readonly object[] }>>> = {
  run: ({ runs }) => runs.list({ limit: IDS_MAX }),
  tbl: ({ tables }) => tables.list({ limit: IDS_MAX }),
  gorun: ({ go }) => go.list({ limit: IDS_MAX }),
  mon: ({ monitors }) => monitors.list(),
  seq: ({ sequences }) => sequences.list(),
  wh: ({ webhooks }) => webhooks.list(),
  dst: ({ destinations }) => destinations.list(),
};

/** Adds completion of commands for shells. */
export function addCompletionCommands(program: QuarryCommand): void {
  program
    .command('completion')
    .description('Prints a completion script for a shell. Use it with “source <(quarry completion bash)”.')
    .addArgument(new Argument('<shell>', 'yours').choices(Object.keys(SCRIPTS)))
    .action((shell: string) => void process.stdout.write(SCRIPTS[shell]!));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .withSession(async (session, words: string[]) => {
      let at: Command = program;
      let given: string[] = [];
      for (const word of words) {
        const next = at.commands.find((each) => each.name() === word);
        given = next ? [] : [...given, word];
        at = next ?? at;
      }
      const names = at.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
      const options = [...at.options, ...program.options].flatMap(({ long }) => long ?? []);
      // Without a key or a server only words of the command are offered.
      const values = await findValues(session, at, given).catch(() => []);
      const isValue = given.at(-1) === '--profile';
      process.stdout.write(`${(isValue ? values : [...values, ...names, ...options]).join('\n')}\n`);
    });
}

/** Returns possible next words: profiles, services, or ids. */
async function findValues(session: Session, command: Command, given: readonly string[]): Promise<string[]> {
  const profiles = (): string[] => session.profiles.listProfiles().map(({ name }) => name);
  if (given.at(-1) === '--profile') return profiles();
  const argument = command.registeredArguments[given.length];
  if (!argument) return [];
  if (argument.argChoices) return [...argument.argChoices];
  const parent = command.parent?.name();
  if (command.name() === 'logout' || parent === 'profile') return profiles();
  if (command.name() === 'list' || parent === 'credits') return Object.keys(SLOW_SERVICES);
  const { url, apiKey } = session.profile;
  const quarry = new Quarry({ baseUrl: url, apiKey, timeoutMs: TIMEOUT_MS, retriesMax: 0 });
  if (command.name() === 'call' || command.name() === 'services')
    return (await quarry.services.list()).items
      .filter(({ mode }) => mode === 'fast' || command.name() === 'services')
      .map(({ name }) => name);
  const [, kind = ''] = /^(\w+)_…/.exec(argument.description) ?? [];
  const { items } = (await LISTS[kind]?.(quarry)) ?? { items: [] };
  return items.map((item) => String((item as Named).id ?? (item as Named).sequence_id));
}
