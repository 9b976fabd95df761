import { setTimeout as delay } from 'node:timers/promises';
import { createOrganisation, migratedDatabase, RunReaderModule, TablePortsModule } from '@quarry/composition';
import { OUTREACH_RPC, parseResource, TABLES_RPC } from '@quarry/dto';
import { freePort } from '@quarry/local-postgres';
import { OutreachApiModule, OutreachModule } from '@quarry/outreach';
import { newId, SecretsModule, systemCtx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { TablesModule } from '@quarry/tables';
import { NameServer, TestAuthority } from '@quarry/test-servers';
import { alternate, withCpu } from './harness/alternation.mjs';
import { startApp, startScript, untilOk } from './harness/child-process.mjs';
import { ratioOf } from './harness/figures.mjs';
import { idleMemoryMb, withPeak } from './harness/peak-memory.mjs';
import { CAN_MEASURE_PROCESSES } from './harness/process-tree.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'a message to each of 10,000 contacts from 20 mailboxes at full speed by one worker, against nodemailer alone';

/** BENCH_MESSAGES=400 for a quick look. */
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 10_000);
const MAILBOXES = 20;
const SHARE = MESSAGES / MAILBOXES;
/** So many of them may not send their whole share today. */
const LIMITED = 2;
const LIMIT = Math.floor(SHARE * 0.8);
const EXPECTED = (MAILBOXES - LIMITED) * SHARE + LIMITED * LIMIT;
const SECRET = 'a secret of the benchmark: 32 characters and more';
/** No name of the sandbox or of nowhere: in live mode nobody is enrolled by one. It is never looked up. */
const CONTACTS = 'contacts.quarry-bench.com';
const LETTERS = 'A question about how you find people. '.repeat(20);
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

export async function run({ life, report, settings }) {
  const authority = await life.open(
    'authority',
    () => TestAuthority.make(),
    (part) => Promise.resolve(part.remove()),
  );
  const mail = await life.open(
    'mail servers',
    () => startScript('baselines/mail-servers.mjs', { cert: authority.cert, key: authority.key }),
    (part) => part.close(),
  );
  const found = { again: [], beyond: [], unaccounted: [] };
  const values = await alternate(
    {
      nodemailer: await openBaseline(life, mail, authority),
      product: await openProduct(life, mail, authority, found),
    },
    settings.rounds,
    settings.onRound,
  );
  report.addTable(`${MESSAGES.toLocaleString('en')} messages, ${MAILBOXES} mailboxes`, values);
  const of = (measure) => ratioOf(values.product[measure], values.nodemailer[measure]).median;
  report.addGoal('messages per second, product / nodemailer', of('perSecond'), 'at least', 0.25);
  if (CAN_MEASURE_PROCESSES) {
    report.addGoal('CPU per message, product / nodemailer', of('cpuMicros'), 'at most', 8);
    report.addGoal('peak memory over idle, worker / nodemailer', of('peakMb'), 'at most', 1.5);
  }
  report.addGoal(
    'Message-IDs that the server has taken more than once',
    Math.max(...found.again),
    'at most',
    0,
  );
  report.addGoal('messages beyond the limit of a mailbox', Math.max(...found.beyond), 'at most', 0);
  const unaccounted = Math.max(...found.unaccounted);
  report.addGoal('messages that only the server or only the product calls sent', unaccounted, 'at most', 0);
}

const serverOf = (port) => ({ host: '127.0.0.1', port, security: 'tls', user: 'ada', password: 'secret' });

async function openBaseline(life, mail, { caFile }) {
  const message = { subject: 'For Ann', text: LETTERS, html: `<p>${LETTERS}</p>` };
  const options = { server: serverOf(mail.facts.smtpPort), message };
  process.env.NODE_EXTRA_CA_CERTS = caFile;
  const mailer = await life.open(
    'baselines/plain-mailer.mjs',
    () => startScript('baselines/plain-mailer.mjs', options),
    (part) => part.close(),
  );
  delete process.env.NODE_EXTRA_CA_CERTS;
  const idleMb = idleMemoryMb(mailer.pid);
  const senders = Array.from({ length: MAILBOXES }, (_, n) => `s${n}@sender.test`);
  return async () => {
    await mail.ask({ clear: true });
    const work = () =>
      withCpu({ mailer: mailer.pid }, () => mailer.ask({ senders, each: EXPECTED / MAILBOXES }));
    return withPeak(idleMb, work, mailer.pid);
  };
}

async function openProduct(life, mail, { ca, caFile }, found) {
  const { url, workingUrl, pid } = await openCluster(life);
  const names = await life.open(
    'name server',
    () => NameServer.start(() => []),
    (part) => Promise.resolve(part.stop()),
  );
  const database = await migratedDatabase(url, 'bench');
  const allowHosts = [mail.facts.smtpPort, mail.facts.imapPort].map((port) => `127.0.0.1:${port}`);
  const { rpc } = await life.open(
    'calls',
    () =>
      openLocalCalls({
        database,
        cursorSecret: SECRET,
        modules: [
          SecretsModule.forRoot([SECRET]),
          RunReaderModule,
          TablesModule.forRoot({ appUrl: '' }),
          TablePortsModule,
          OutreachModule.forRoot({
            allowHosts,
            dnsServers: [names.address],
            baseUrl: 'https://quarry.test',
            ca,
          }),
          OutreachApiModule,
        ],
        apis: [TABLES_RPC, OUTREACH_RPC],
      }),
    async (calls) => {
      await calls.close();
      await database.close();
    },
  );
  const metricsPort = await freePort();
  const worker = await life.open(
    'jobs-worker',
    async () =>
      startApp('jobs-worker', {
        DATABASE_URL: workingUrl,
        QUEUE_URL: url,
        WORKER_QUEUES: 'outreach-send',
        RPC_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
        CURSOR_SECRET: SECRET,
        ENCRYPTION_KEYS: SECRET,
        BASE_URL: 'https://quarry.test',
        FETCH_ALLOW_HOSTS: allowHosts.join(),
        DNS_SERVERS: names.address,
        NODE_EXTRA_CA_CERTS: caFile,
      }),
    (part) => part.close(),
  );
  await untilOk(`http://127.0.0.1:${metricsPort}/readyz`);
  const idleMb = idleMemoryMb(worker.pid);
  const processes = { worker: worker.pid, PostgreSQL: pid };
  return async () => {
    const campaign = await prepare(rpc, database, mail.facts);
    await mail.ask({ clear: true });
    const sample = await withPeak(
      idleMb,
      () => withCpu(processes, () => send(rpc, mail, campaign)),
      worker.pid,
    );
    for (const [key, value] of Object.entries(await judge(database, mail, campaign))) found[key].push(value);
    return sample;
  };
}

/** An organisation with mailboxes, and a sequence that a person has approved. Of some mailboxes the day is shorter than their share. */
async function prepare(rpc, database, { smtpPort, imapPort }) {
  const { orgId } = await createOrganisation(database, { name: 'Bench', credits: 1 });
  const ctx = systemCtx('bench', orgId);
  const actor = { userId: newId('usr'), role: 'owner', sessionId: 'bench' };
  const call = async (method, params) => parseResource(await rpc.call(ctx, method, params));
  const limits = new Map();
  const mailboxIds = [];
  for (let n = 0; n < MAILBOXES; n += 1) {
    const address = `s${n}@sender.test`;
    limits.set(address, n < LIMITED ? LIMIT : SHARE * 2);
    const body = {
      ...{ address, name: 'Bench', smtp: serverOf(smtpPort), imap: serverOf(imapPort) },
      ...{ daily_limit: limits.get(address), ramp_up: false, gap_seconds: 0 },
    };
    mailboxIds.push((await call(OUTREACH_RPC.connectMailbox, { actor, body })).id);
  }
  const workspaceId = newId('ws');
  const sql = "INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, 'Bench')";
  await database.query(ctx, sql, [orgId, workspaceId]);
  const table = await rpc.call(ctx, TABLES_RPC.importTable, {
    workspaceId,
    body: JSON.stringify({
      name: 'People',
      columns: [
        { key: 'first_name', name: 'First name', kind: 'text' },
        { key: 'email', name: 'E-mail', kind: 'email' },
      ],
      rows: Array.from({ length: MESSAGES }, (_, n) => ({
        first_name: `Ann${n}`,
        email: `p${n}@${CONTACTS}`,
      })),
    }),
  });
  const { sequence_id: sequenceId } = await call(OUTREACH_RPC.createSequence, {
    body: {
      ...{ name: 'Bench', mailbox_ids: mailboxIds, time_zone: 'UTC' },
      window: { days: DAYS, from: '00:00', to: '24:00' },
      steps: [
        { delay_days: 0, subject: 'For {{ first_name }}', body: `Hello {{ first_name }},\n\n${LETTERS}` },
        // As most have: nobody's enrollment ends with the first message.
        { delay_days: 3, body: 'Did this reach you, {{ first_name }}?' },
      ],
    },
    idempotencyKey: null,
  });
  const enroll = { table_id: table.id, email_column: 'email', allow_unverified: true };
  await call(OUTREACH_RPC.enroll, { sequenceId, body: enroll });
  const { digest } = await call(OUTREACH_RPC.previewSequence, { sequenceId, body: {} });
  const asked = await call(OUTREACH_RPC.requestApproval, { sequenceId, body: { digest } });
  const approvalId = asked.approval_id;
  await call(OUTREACH_RPC.decideApproval, { actor, approvalId, body: { decision: 'approve', digest } });
  // As autovacuum would have done long ago on a database of some age.
  await database.query(systemCtx('bench'), 'ANALYZE');
  return { ctx, sequenceId, approvalId, limits };
}

async function send(rpc, mail, { ctx, sequenceId, approvalId }) {
  const startedAt = performance.now();
  await rpc.call(ctx, OUTREACH_RPC.activateSequence, { sequenceId, body: { approval_id: approvalId } });
  while ((await mail.ask({})) < EXPECTED) await delay(20);
  return { operations: EXPECTED, seconds: (performance.now() - startedAt) / 1000 };
}

/** Compares the log of the server with the limits, and with what the product says, once every full mailbox was given another turn. */
async function judge(database, mail, { ctx, limits }) {
  const rows = (condition) =>
    database.query(ctx, `SELECT * FROM outreach.${condition} AND org_id = $1 AND mode = $2`, [
      ctx.orgId,
      ctx.mode,
    ]);
  while ((await rows("messages WHERE state <> 'sent'")).length > 0) await delay(20);
  const { now } = await database.queryOne(ctx, 'SELECT now() AS now');
  const rested = () => rows('mailboxes WHERE send_until IS NULL');
  // Those that have more than their day holds are queued again; the others have nothing to send.
  while ((await rested()).filter(({ send_queued_at: at }) => at > now).length < LIMITED) await delay(50);
  const log = await mail.ask({ log: true });
  const ids = new Set(log.map(({ messageId }) => messageId));
  const sent = (await rows('messages WHERE true')).map(({ rfc_message_id: id }) => id);
  const most = [...limits].map(
    ([address, limit]) => log.filter(({ from }) => from === address).length - limit,
  );
  return {
    again: log.length - ids.size,
    beyond: Math.max(0, ...most),
    unaccounted:
      sent.filter((id) => !ids.has(id)).length + ids.size - sent.filter((id) => ids.has(id)).length,
  };
}
