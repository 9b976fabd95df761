import { Argument, type Command } from 'commander';

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
};

/** Completion of commands in shells. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('Prints a script for a shell: source it, such as “source <(quarry completion bash)”.')
    .addArgument(new Argument('<shell>', 'yours').choices(Object.keys(SCRIPTS)))
    .action((shell: string) => void process.stdout.write(SCRIPTS[shell]!));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action((words: string[]) => {
      let at = program;
      for (const word of words) at = at.commands.find((each) => each.name() === word) ?? at;
      const names = at.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
      const options = [...at.options, ...program.options].flatMap(({ long }) => long ?? []);
      process.stdout.write(`${[...names, ...options].join('\n')}\n`);
    });
}
