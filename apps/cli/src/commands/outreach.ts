import type { Api } from '@quarry/sdk';
import { EXIT } from '../exit-codes.js';
import { readJson } from '../files.js';
import type { QuarryCommand } from '../quarry-command.js';
import type { Session } from '../session.js';

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
export function addOutreachCommands(program: QuarryCommand): void {
  program
    .command('mailboxes')
    .description(
      'Lists the mailboxes that sequences send from. Mailboxes are connected in the web application.',
    )
    .withSession(async (session) => {
      const columns = ['id', 'address', 'status', 'status_reason', 'sent_today', 'limit_today'];
      await session.writeRows(session.quarry.mailboxes.list(), columns);
    });
  addSequenceCommands(program);
  addSuppressionCommands(program);
  addInboxCommands(program);
}

function addSequenceCommands(program: QuarryCommand): void {
  const sequences = program
    .command('sequences')
    .description('Messages to the people of a table, which a person approves before they are sent.');
  const addOfOne = (
    name: string,
    description: string,
    act: (session: Session, id: string) => Promise<object>,
  ) =>
    sequences
      .command(name)
      .description(description)
      .argument('<id>', 'seq_…')
      .withSession(async (session, id: string) => {
        await session.writeDocument({ ...(await act(session, id)) });
      });
  sequences
    .command('list')
    .description('Lists sequences, the newest first.')
    .withSession(async (session) => {
      const rows = async function* () {
        for await (const { counts, links: _links, ...sequence } of session.quarry.sequences.list())
          yield { ...sequence, enrolled: counts.enrolled, sent: counts.sent, replied: counts.replied };
      };
      const columns = ['sequence_id', 'name', 'status', 'steps', 'enrolled', 'sent', 'replied'];
      await session.writeRows(rows(), columns);
    });
  sequences
    .command('create')
    .description('Creates a sequence as a draft. Nothing is sent.')
    .argument('<file>', 'JSON file with name, mailbox_ids, time_zone, window and steps')
    .withSession(async (session, file: string) => {
      const body = readJson(file) as unknown as Api.CreateSequenceRequest;
      await session.writeDocument({ ...(await session.quarry.sequences.create(body)) });
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
    .withSession(async (session, id: string, table: string | undefined, options: EnrollOptions) => {
      const answer = await session.quarry.sequences.enroll(id, {
        ...(table === undefined ? {} : { table_id: table }),
        ...(options.monitor === undefined ? {} : { monitor_id: options.monitor }),
        email_column: options.emailColumn,
        ...(options.allowUnverified ? { allow_unverified: true } : {}),
        ...(options.dryRun ? { dry_run: true } : {}),
      });
      await session.writeDocument({ ...answer });
    });
  sequences
    .command('enrollments')
    .description('Lists the contacts of a sequence, with their state and why they stopped.')
    .argument('<id>', 'seq_…')
    .withSession(async (session, id: string) => {
      const columns = ['email', 'status', 'reason', 'step', 'next_at'];
      await session.writeRows(session.quarry.sequences.listEnrollments(id), columns);
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
    .withSession(async (session, id: string, approval: string) => {
      const answer = await session.quarry.sequences.activate(id, { approval_id: approval });
      await session.writeDocument({ ...answer });
    });
  addOfOne('pause', 'Pauses a sequence. It needs a new approval to go on.', ({ quarry }, id) =>
    quarry.sequences.pause(id),
  );
  addOfOne('stats', 'Counts messages sent, bounces, replies and unsubscribes.', ({ quarry }, id) =>
    quarry.sequences.getStats(id),
  );
}

function addSuppressionCommands(program: QuarryCommand): void {
  const suppressions = program
    .command('suppressions')
    .description('Suppressed addresses and domains, which no message is ever sent to.');
  suppressions
    .command('list')
    .description('Lists suppressions, the newest first.')
    .withSession(async (session) => {
      const columns = ['kind', 'value', 'reason', 'created_at'];
      await session.writeRows(session.quarry.contacts.listSuppressions(), columns);
    });
  suppressions
    .command('add')
    .description('Adds addresses and domains. They can only be removed in the web application.')
    .argument('<entries...>', 'anna@acme.example, or a domain')
    .withSession(async (session, entries: string[]) => {
      const isAddress = (entry: string): boolean => entry.includes('@');
      const answer = await session.quarry.contacts.suppress({
        addresses: entries.filter(isAddress),
        domains: entries.filter((entry) => !isAddress(entry)),
      });
      await session.writeDocument({ ...answer });
      if (answer.rejected.length > 0) process.exitCode = EXIT.partly;
    });
}

function addInboxCommands(program: QuarryCommand): void {
  const inbox = program.command('inbox').description('Replies of people.');
  inbox
    .command('list')
    .description('Lists the threads, the latest message first.')
    .option('--unread', 'only unread threads')
    .option('--replies', 'only replies of people, without auto-replies and bounces')
    .withSession(async (session, options: { unread?: boolean; replies?: boolean }) => {
      const rows = async function* () {
        const threads = session.quarry.inbox.list({
          ...(options.unread && { unread: 'true' }),
          ...(options.replies && { kind: 'reply' }),
        });
        for await (const { contact, ...thread } of threads) yield { ...thread, from: contact.email };
      };
      await session.writeRows(rows(), ['thread_id', 'from', 'subject', 'kind', 'last_at']);
    });
  inbox
    .command('get')
    .description('Shows a thread with its messages.')
    .argument('<id>', 'thr_…')
    .withSession(async (session, id: string) => {
      await session.writeDocument({ ...(await session.quarry.inbox.get(id)) });
    });
}
