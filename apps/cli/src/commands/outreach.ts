import type { Api } from '@quarry/sdk';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import { readJson } from '../files.js';
import type { OpenSession } from '../program.js';

interface EnrollOptions {
  emailColumn: string;
  monitor?: string;
  allowUnverified?: boolean;
  dryRun?: boolean;
}

/**
 * Adds the commands for mailboxes, sequences, suppressions and the inbox. Messages are approved in the web application, by a
 * person.
 */
export function addOutreachCommands(program: Command, open: OpenSession): void {
  program
    .command('mailboxes')
    .description(
      'Lists the mailboxes that sequences send from. Mailboxes are connected in the web application.',
    )
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const columns = ['id', 'address', 'status', 'status_reason', 'sent_today', 'limit_today'];
      await session.openOutput().writeRows(session.quarry.mailboxes.list(), columns);
    });
  addSequenceCommands(program, open);
  addSuppressionCommands(program, open);
  addInboxCommands(program, open);
}

function addSequenceCommands(program: Command, open: OpenSession): void {
  const sequences = program
    .command('sequences')
    .description('Messages to the people of a table, which a person approves before they are sent.');
  const addOfOne = (
    name: string,
    description: string,
    act: (session: ReturnType<OpenSession>, id: string) => Promise<object>,
  ) =>
    sequences
      .command(name)
      .description(description)
      .argument('<id>', 'seq_…')
      .action(async (id: string, _options: object, command: Command) => {
        const session = open(command);
        await session.openOutput().writeDocument({ ...(await act(session, id)) });
      });
  sequences
    .command('list')
    .description('Lists sequences, the newest first.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const rows = async function* () {
        for await (const { counts, links: _links, ...sequence } of session.quarry.sequences.list())
          yield { ...sequence, enrolled: counts.enrolled, sent: counts.sent, replied: counts.replied };
      };
      const columns = ['sequence_id', 'name', 'status', 'steps', 'enrolled', 'sent', 'replied'];
      await session.openOutput().writeRows(rows(), columns);
    });
  sequences
    .command('create')
    .description('Creates a sequence as a draft. Nothing is sent.')
    .argument('<file>', 'JSON file with name, mailbox_ids, time_zone, window and steps')
    .action(async (file: string, _options: object, command: Command) => {
      const session = open(command);
      const body = readJson(file) as unknown as Api.CreateSequenceRequest;
      await session.openOutput().writeDocument({ ...(await session.quarry.sequences.create(body)) });
    });
  addOfOne('get', 'Shows one.', ({ quarry }, id) => quarry.sequences.get(id));
  sequences
    .command('enroll')
    .description('Adds the people of a table, or those that a monitor has found. Nothing is sent.')
    .argument('<id>', 'seq_…')
    .argument('[table]', 'tbl_…')
    .option('--monitor <id>', 'mon_…: people of a monitor instead of a table')
    .requiredOption('--email-column <key>', 'key of the column with the e-mail addresses')
    .option('--allow-unverified', 'include unverified addresses')
    .option('--dry-run', 'only show the counts')
    .action(async (id: string, table: string | undefined, options: EnrollOptions, command: Command) => {
      const session = open(command);
      const answer = await session.quarry.sequences.enroll(id, {
        ...(table === undefined ? {} : { table_id: table }),
        ...(options.monitor === undefined ? {} : { monitor_id: options.monitor }),
        email_column: options.emailColumn,
        ...(options.allowUnverified ? { allow_unverified: true } : {}),
        ...(options.dryRun ? { dry_run: true } : {}),
      });
      await session.openOutput().writeDocument({ ...answer });
    });
  sequences
    .command('enrollments')
    .description('Lists the contacts of a sequence, with their state and why they stopped.')
    .argument('<id>', 'seq_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = open(command);
      const columns = ['email', 'status', 'reason', 'step', 'next_at'];
      await session.openOutput().writeRows(session.quarry.sequences.listEnrollments(id), columns);
    });
  addOfOne(
    'preview',
    'Renders the messages of ten contacts, with warnings and the digest to approve.',
    ({ quarry }, id) => quarry.sequences.preview(id),
  );
  addOfOne(
    'request-approval',
    'Asks a person to approve exactly what the preview shows, in the web application.',
    async (session, id) => {
      const { sequences } = session.quarry;
      const { digest } = await sequences.preview(id);
      const approval = await sequences.requestApproval(id, { digest });
      session.say(`A person can approve it at ${new URL(approval.links.app, session.profile.url).href}`);
      return approval;
    },
  );
  sequences
    .command('activate')
    .description('Starts an approved sequence: from now on its messages are sent.')
    .argument('<id>', 'seq_…')
    .argument('<approval>', 'apr_…')
    .action(async (id: string, approval: string, _options: object, command: Command) => {
      const session = open(command);
      const answer = await session.quarry.sequences.activate(id, { approval_id: approval });
      await session.openOutput().writeDocument({ ...answer });
    });
  addOfOne('pause', 'Pauses a sequence. It needs a new approval to go on.', ({ quarry }, id) =>
    quarry.sequences.pause(id),
  );
  addOfOne('stats', 'Counts messages sent, bounces, replies and unsubscribes.', ({ quarry }, id) =>
    quarry.sequences.getStats(id),
  );
}

function addSuppressionCommands(program: Command, open: OpenSession): void {
  const suppressions = program
    .command('suppressions')
    .description('Suppressed addresses and domains, which no message is ever sent to.');
  suppressions
    .command('list')
    .description('Lists suppressions, the newest first.')
    .action(async (_options: object, command: Command) => {
      const session = open(command);
      const columns = ['kind', 'value', 'reason', 'created_at'];
      await session.openOutput().writeRows(session.quarry.contacts.listSuppressions(), columns);
    });
  suppressions
    .command('add')
    .description('Adds addresses and domains. They can only be removed in the web application.')
    .argument('<entries...>', 'anna@acme.example, or a domain')
    .action(async (entries: string[], _options: object, command: Command) => {
      const session = open(command);
      const isAddress = (entry: string): boolean => entry.includes('@');
      const answer = await session.quarry.contacts.suppress({
        addresses: entries.filter(isAddress),
        domains: entries.filter((entry) => !isAddress(entry)),
      });
      await session.openOutput().writeDocument({ ...answer });
      if (answer.rejected.length > 0) process.exitCode = EXIT.partly;
    });
}

function addInboxCommands(program: Command, open: OpenSession): void {
  const inbox = program.command('inbox').description('Replies of people.');
  inbox
    .command('list')
    .description('Lists the threads, the latest message first.')
    .option('--unread', 'only unread threads')
    .option('--replies', 'only replies of people, without auto-replies and bounces')
    .action(async (options: { unread?: boolean; replies?: boolean }, command: Command) => {
      const session = open(command);
      const rows = async function* () {
        const threads = session.quarry.inbox.list({
          ...(options.unread && { unread: 'true' }),
          ...(options.replies && { kind: 'reply' }),
        });
        for await (const { contact, ...thread } of threads) yield { ...thread, from: contact.email };
      };
      await session.openOutput().writeRows(rows(), ['thread_id', 'from', 'subject', 'kind', 'last_at']);
    });
  inbox
    .command('get')
    .description('Shows a thread with its messages.')
    .argument('<id>', 'thr_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = open(command);
      await session.openOutput().writeDocument({ ...(await session.quarry.inbox.get(id)) });
    });
}
