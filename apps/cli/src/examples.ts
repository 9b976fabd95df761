import type { Command } from 'commander';

/** An example for each command, without the leading `quarry`, for the end of its help. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  login: 'login --url https://quarry.example.com',
  logout: 'logout staging',
  whoami: 'whoami',
  'profile list': 'profile list',
  'profile use': 'profile use staging',
  open: 'open run_01m8hbay1me00bgrev59jn6rmx',
  doctor: 'doctor',
  'run prompt': 'run "20 fintech companies in London" -o companies.csv',
  'run follow': 'run follow run_01m8hbay1me00bgrev59jn6rmx',
  'run get': 'run get run_01m8hbay1me00bgrev59jn6rmx --json',
  'run list': 'run list --limit 5',
  'run cancel': 'run cancel run_01m8hbay1me00bgrev59jn6rmx',
  list: 'list getEmail leads.csv --map first_name="First Name" -o found.csv',
  call: 'call searchCompanies countries=\'["France"]\' limit=10 -o companies.csv',
  services: 'services getEmail',
  'tables list': 'tables list',
  'tables get': 'tables get tbl_01m8hbay2be00b15stcwx9jzkv --json',
  'tables rows': 'tables rows tbl_01m8hbay2be00b15stcwx9jzkv --jsonl',
  'tables rename': 'tables rename tbl_01m8hbay2be00b15stcwx9jzkv "Leads of May"',
  'tables delete': 'tables delete tbl_01m8hbay2be00b15stcwx9jzkv',
  'tables import': 'tables import leads.xlsx --name Leads',
  'tables export': 'tables export tbl_01m8hbay2be00b15stcwx9jzkv -o table.csv',
  'exports get': 'exports get exp_01m8hbay2be00b15stcwx9jzkv -o table.csv',
  'exclusions list': 'exclusions list companies',
  'exclusions add': 'exclusions add companies customer.example competitor.example',
  'exclusions remove': 'exclusions remove companies customer.example',
  'exclusions sync': 'exclusions sync companies customers.csv --source crm --dry-run',
  'events list': 'events list --types run.completed,run.failed --jsonl',
  'events tail': 'events tail --types run.completed',
  'webhooks list': 'webhooks list',
  'webhooks create': 'webhooks create https://hooks.example.com/quarry --types run.completed,run.failed',
  'webhooks delete': 'webhooks delete wh_01m8hbb77ce00b8p43jpwbnszs',
  'webhooks test': 'webhooks test wh_01m8hbb77ce00b8p43jpwbnszs',
  'webhooks deliveries': 'webhooks deliveries wh_01m8hbb77ce00b8p43jpwbnszs',
  'webhooks redeliver': 'webhooks redeliver wh_01m8hbb77ce00b8p43jpwbnszs whd_01m8hbb77ce00b8p43jpwbnszs',
  'webhooks listen': 'webhooks listen http://localhost:8080/hooks --types run.completed',
  'monitors list': 'monitors list',
  'monitors create':
    'monitors create "fintech companies in Berlin" --cron "0 9 * * 1" --time-zone Europe/Berlin',
  'monitors get': 'monitors get mon_01m8hbaxpde00b25rkanjw7d1w --json',
  'monitors pause': 'monitors pause mon_01m8hbaxpde00b25rkanjw7d1w',
  'monitors resume': 'monitors resume mon_01m8hbaxpde00b25rkanjw7d1w',
  'monitors trigger': 'monitors trigger mon_01m8hbaxpde00b25rkanjw7d1w',
  'monitors delete': 'monitors delete mon_01m8hbaxpde00b25rkanjw7d1w',
  'monitors runs': 'monitors runs mon_01m8hbaxpde00b25rkanjw7d1w',
  'monitors items': 'monitors items mon_01m8hbaxpde00b25rkanjw7d1w --since 2026-11-27T12:00:00Z -o new.csv',
  mailboxes: 'mailboxes',
  'sequences list': 'sequences list',
  'sequences create': 'sequences create sequence.json',
  'sequences get': 'sequences get seq_01m8hbaxpde00b25rkanjw7d1w --json',
  'sequences enroll':
    'sequences enroll seq_01m8hbaxpde00b25rkanjw7d1w tbl_01m8hbay2be00b15stcwx9jzkv --email-column email --dry-run',
  'sequences enrollments': 'sequences enrollments seq_01m8hbaxpde00b25rkanjw7d1w',
  'sequences preview': 'sequences preview seq_01m8hbaxpde00b25rkanjw7d1w --json',
  'sequences request-approval': 'sequences request-approval seq_01m8hbaxpde00b25rkanjw7d1w',
  'sequences activate': 'sequences activate seq_01m8hbaxpde00b25rkanjw7d1w apr_01m8hbaxpde00b25rkanjw7d1w',
  'sequences pause': 'sequences pause seq_01m8hbaxpde00b25rkanjw7d1w',
  'sequences stats': 'sequences stats seq_01m8hbaxpde00b25rkanjw7d1w',
  'suppressions list': 'suppressions list',
  'suppressions add': 'suppressions add anna@acme.example competitor.example',
  'inbox list': 'inbox list --unread',
  'inbox get': 'inbox get thr_01m8hbaxpde00b25rkanjw7d1w --json',
  'destinations list': 'destinations list',
  'destinations create': 'destinations create hubspot_contacts --name CRM < hubspot-token.txt',
  'destinations delete': 'destinations delete dst_01m8hbb2pee009b3c9j6mzd063',
  'destinations preview':
    'destinations preview dst_01m8hbb2pee009b3c9j6mzd063 tbl_01m8hbay2be00b15stcwx9jzkv --json',
  'destinations push': 'destinations push dst_01m8hbb2pee009b3c9j6mzd063 tbl_01m8hbay2be00b15stcwx9jzkv',
  'destinations pushes': 'destinations pushes dst_01m8hbb2pee009b3c9j6mzd063',
  'go ask': 'go "Who leads Halbrook Pumps?" --url https://halbrook.example/team --max-credits 5',
  'go get': 'go get gorun_01m8hbaxj7e00aq01he08wdc72 --json',
  'go cancel': 'go cancel gorun_01m8hbaxj7e00aq01he08wdc72',
  'credits balance': 'credits',
  'credits ledger': 'credits ledger --service getEmail -o ledger.csv',
  'credits estimate': 'credits estimate getEmail first_name=Laura last_name=Norton domain=dunera.example',
  limits: 'limits',
  providers: 'providers',
  'mcp install': 'mcp install claude --print',
  api: "api GET '/v1/runs?limit=5'",
  completion: 'completion bash',
};

/** Adds the example to the help of each command. A group with a default command also gets the options of that one. */
export function addExamples(program: Command): void {
  for (const { command, path } of listCommands(program)) {
    const example = EXAMPLES[path];
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  $ quarry ${example}`);
  }
  for (const group of program.commands) {
    const usual = defaultCommandOf(group);
    if (usual) group.addHelpText('after', () => describeDefault(group, usual));
  }
}

/** Returns every visible command that does something, with its words. */
export function listCommands(
  command: Command,
  words: readonly string[] = [],
): Array<{ command: Command; path: string }> {
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  if (shown.length === 0) return [{ command, path: words.join(' ') }];
  return shown.flatMap((each) => listCommands(each, [...words, each.name()]));
}

/** Commander has no public property for the default command. */
function defaultCommandOf(group: Command): Command | undefined {
  const { _defaultCommandName: name } = group as Command & { _defaultCommandName?: string | null };
  return group.commands.find((each) => each.name() === name);
}

function describeDefault(group: Command, usual: Command): string {
  const help = usual.createHelp();
  help.prepareContext({ helpWidth: process.stdout.columns || 80 });
  const width = help.padWidth(usual, help);
  const line = (term: string, description: string): string => help.formatItem(term, width, description, help);
  const shown = [
    ...help
      .visibleArguments(usual)
      .map((each) => line(help.argumentTerm(each), help.argumentDescription(each))),
    ...help
      .visibleOptions(usual)
      .filter(({ long }) => long !== '--help')
      .map((each) => line(help.optionTerm(each), help.optionDescription(each))),
  ];
  const words = ['quarry', group.name(), ...help.visibleArguments(usual).map((each) => `<${each.name()}>`)];
  const example = EXAMPLES[`${group.name()} ${usual.name()}`];
  return [
    ...(shown.length === 0 ? [] : ['', `Without a command, ${words.join(' ')} [options]:`, ...shown]),
    '',
    'Example:',
    `  $ quarry ${example}`,
  ].join('\n');
}
