import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId, SealedSecrets } from '@quarry/app';
import { ScriptedSmtpServer, TestAuthority, waitFor } from '@quarry/test-servers';
import type { FailpointAction } from '@quarry/testing';
import { FaultScene, LINES_TIMEOUT_MS } from './spec-kit.js';

const ENCRYPTION_KEYS = 's'.repeat(32);
/** Points at which a worker dies, with the resulting state of its message and the number of times that the server accepted it. */
const KILLS = [
  { at: 'message_rendered', state: 'sent', accepted: 1 },
  { at: 'message_claimed', state: 'sent', accepted: 1 },
  { at: 'message_marked', state: 'unknown', accepted: 0 },
  // The server has received the body, but has not responded.
  { at: 'body_sent', state: 'unknown', accepted: 1 },
  { at: 'message_before_settle', state: 'unknown', accepted: 1 },
] as const;

let authority: TestAuthority;
let server: ScriptedSmtpServer;
let folder: string;

beforeAll(async () => {
  authority = TestAuthority.make();
  server = await ScriptedSmtpServer.start(authority);
  folder = mkdtempSync(join(tmpdir(), 'quarry-outreach-'));
  writeFileSync(join(folder, 'ca.pem'), authority.ca);
});
afterEach(() => FaultScene.closeAll());
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Inserts a mailbox and an approved sequence with one contact who is due. @returns the id of the mailbox */
async function plant(scene: FaultScene, email: string): Promise<string> {
  const { orgId } = scene.ctx;
  const [mailbox, sequence, approval, enrollment] = [newId('mbx'), newId('seq'), newId('apr'), newId('enl')];
  const sealed = new SealedSecrets([ENCRYPTION_KEYS]).sealSecret(
    ['mailbox secrets', orgId, 'live', mailbox],
    JSON.stringify({ smtp_password: 'p', imap_password: 'p', dkim_key: null }),
  );
  const smtp = JSON.stringify({ host: '127.0.0.1', port: server.port, security: 'tls', user: 'u' });
  await scene.all(
    `WITH b AS (
       INSERT INTO outreach.mailboxes (org_id, mode, id, address, smtp, imap, sealed_secrets, daily_limit, ramp_up, gap_seconds, time_zone)
       VALUES ($1, 'live', $2, $3, $4, $4, $5, 50, true, 0, 'UTC')),
     a AS (
       INSERT INTO outreach.approvals (org_id, mode, id, kind, sequence_id, version, digest, audience, messages, summary, status, decided_by,
         decided_at, expires_at)
       VALUES ($1, 'live', $6, 'sequence', $7, 1, '', 1, 1, '', 'approved', 'usr_1', now(), now() + interval '1 day')),
     s AS (
       INSERT INTO outreach.sequences (org_id, mode, id, name, status, definition, mailbox_ids, time_zone, window_days, window_from, window_to,
         step_count, approval_id)
       VALUES ($1, 'live', $7, 'x', 'active', '{"steps":[{"delay_days":0,"subject":"Hi","body":"Hi"}]}', ARRAY[$2], 'UTC',
         '{1,2,3,4,5,6,7}', '00:00', '24:00', 1, $6) RETURNING id)
     INSERT INTO outreach.enrollments (org_id, mode, id, sequence_id, email, variables, is_verified, mailbox_id, approval_id, next_at, status,
       unsubscribe_token)
     SELECT $1, 'live', $8, s.id, $9, '{}', true, $2, $6, now(), 'active', $8 FROM s`,
    [orgId, mailbox, `${mailbox}@sender.test`, smtp, sealed, approval, sequence, enrollment, email],
  );
  return mailbox;
}

it('a worker killed anywhere while it sends never causes a second delivery, and no possibly sent message is sent again', async () => {
  const scene = await FaultScene.open({ backend: 'postgres' });
  const startWorker = (failpoints: FailpointAction[]) =>
    scene.spawnWorker({
      failpoints,
      env: {
        WORKER_QUEUES: 'outreach-send',
        ENCRYPTION_KEYS,
        FETCH_ALLOW_HOSTS: `127.0.0.1:${server.port}`,
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      },
    });
  const mailboxes: string[] = [];
  for (const { at } of KILLS) {
    mailboxes.push(await plant(scene, `${at}@acme.test`));
    if (at !== 'body_sent') {
      const victim = await startWorker([{ at, action: 'kill' }]);
      expect(await victim.ended()).toBeNull();
      continue;
    }
    const victim = await startWorker([]);
    const isHeld = Promise.withResolvers<void>();
    server.script = (point, { recipient }) => {
      if (point !== 'dot' || !recipient.startsWith(at)) return null;
      isHeld.resolve();
      return 'hang';
    };
    await isHeld.promise;
    await victim.stop('SIGKILL');
    server.script = () => null;
  }
  await startWorker([]);
  const found = () =>
    scene.all<{ to_address: string; state: string; rfc_message_id: string; reason: string | null }>(
      `SELECT m.to_address, m.state, m.rfc_message_id, e.reason FROM outreach.messages m JOIN outreach.enrollments e ON e.id = m.enrollment_id
       WHERE m.mailbox_id = ANY ($1)`,
      [mailboxes],
    );
  await waitFor(
    'every message to be sent or unknown',
    async () =>
      (await found()).filter(({ state }) => ['sent', 'unknown'].includes(state)).length === KILLS.length,
    LINES_TIMEOUT_MS,
  );
  const messages = new Map((await found()).map((message) => [message.to_address, message]));
  for (const { at, state, accepted } of KILLS) {
    const message = messages.get(`${at}@acme.test`)!;
    const isTaken = server.timesAccepted(message.rfc_message_id);
    expect([at, message.state, isTaken]).toEqual([at, state, at === 'body_sent' ? isTaken : accepted]);
    expect([at, isTaken <= 1]).toEqual([at, true]);
    expect([at, message.reason]).toEqual([at, state === 'unknown' ? 'unknown_delivery' : null]);
  }
  // Each body was started at one server once: an unknown outcome was not retried.
  const begun = server.begun.map(({ recipient }) => recipient);
  expect(new Set(begun).size).toBe(begun.length);
  expect(await scene.close()).toEqual({});
});
