import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTREACH_RPC, parseResource, type Actor } from '@quarry/dto';
import { OutreachApiModule, OutreachModule } from '@quarry/outreach';
import { newId, SecretsModule, type Ctx } from '@quarry/app';
import { openLocalCalls, type LocalCalls } from '@quarry/platform';
import { TableWriter } from '@quarry/tables';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { TablePortsModule } from './ports.module.js';

const ROWS = 10_000;
const ACTOR: Actor = { userId: 'usr_spec', role: 'owner', sessionId: 'session_spec' };
const PAGE = { limit: 100, cursor: null };

describe('sequences and the inbox, called the way the HTTP layer calls them', () => {
  const ctx: Ctx = { ...testCtx('org_calls'), mode: 'test', keyId: 'key_spec' };
  let test: TestDatabase;
  let calls: LocalCalls;

  beforeAll(async () => {
    test = await createTestDatabase();
    calls = await openLocalCalls({
      database: test.database,
      cursorSecret: 'x'.repeat(32),
      modules: [
        SecretsModule.forRoot([]),
        TablePortsModule,
        OutreachModule.forRoot({ allowHosts: [], dnsServers: [], baseUrl: 'http://127.0.0.1:3000' }),
        OutreachApiModule,
      ],
      apis: [OUTREACH_RPC],
    });
  });
  afterAll(async () => {
    await calls.close();
    await test.drop();
  });

  it('enrol ten thousand rows of a table, request approval and start', async () => {
    const writer = new TableWriter(test.database);
    const workspaceId = await writer.createWorkspace(ctx, 'Spec');
    const tableId = newId('tbl');
    const columns = ['email', 'first_name'].map((key) => ({
      key,
      name: key,
      qualification: {},
      kind: key === 'email' ? ('email' as const) : ('text' as const),
    }));
    await writer.createTable(ctx, { id: tableId, workspaceId, name: 'People', columns });
    for (let from = 0; from < ROWS; from += 1000)
      await writer.appendRows(
        ctx,
        tableId,
        Array.from({ length: 1000 }, (_, i) => ({
          id: newId('row'),
          values: { email: `reply+p${from + i}@sandbox.test`, first_name: `P${i}` },
        })),
      );
    const { rpc } = calls;
    const connect = { address: 'sender@sandbox.test' };
    const mailbox = parseResource(
      await rpc.call(ctx, OUTREACH_RPC.connectMailbox, { actor: ACTOR, body: connect }),
    );
    const body = {
      name: 'Spec',
      mailbox_ids: [mailbox.id],
      time_zone: 'UTC',
      window: { days: ['mon' as const], from: '00:00', to: '24:00' },
      steps: [
        { delay_days: 0, subject: 'Hi {{ first_name }}', body: 'Dear {{ first_name }}, …' },
        { delay_days: 2, body: 'Once more, {{ first_name | upcase }}' },
      ],
    };
    const { sequence_id: sequenceId } = parseResource(
      await rpc.call(ctx, OUTREACH_RPC.createSequence, { body }),
    );
    const took = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const begun = performance.now();
      const answer = await work();
      printMeasurement(`${what}: ${Math.round(performance.now() - begun)} ms`);
      return answer;
    };
    const enrolled = await took('ten thousand rows are enrolled', () =>
      rpc.call(ctx, OUTREACH_RPC.enroll, { sequenceId, body: { table_id: tableId, email_column: 'email' } }),
    );
    expect(parseResource(enrolled)).toMatchObject({ enrolled: ROWS, skipped: { unverified: 0 } });
    const preview = parseResource(
      await took('a preview of ten of them', () =>
        rpc.call(ctx, OUTREACH_RPC.previewSequence, { sequenceId, body: {} }),
      ),
    );
    expect([preview.total_messages, preview.messages.length]).toEqual([2 * ROWS, 20]);
    const { digest } = preview;
    const approval = parseResource(
      await took('every message is rendered for the approval', () =>
        rpc.call(ctx, OUTREACH_RPC.requestApproval, { sequenceId, body: { digest } }),
      ),
    );
    const { approval_id: approvalId } = approval;
    await rpc.call(ctx, OUTREACH_RPC.decideApproval, {
      actor: ACTOR,
      approvalId,
      body: { decision: 'approve' as const, digest },
    });
    const active = parseResource(
      await took('ten thousand contacts are started', () =>
        rpc.call(ctx, OUTREACH_RPC.activateSequence, { sequenceId, body: { approval_id: approvalId } }),
      ),
    );
    expect(active).toMatchObject({ status: 'active', counts: { active: ROWS } });
    const domains = Array.from({ length: 999 }, (_, i) => `d${i}.example`);
    const added = parseResource(
      await took('a thousand domains are suppressed, one of them with ten thousand contacts', () =>
        rpc.call(ctx, OUTREACH_RPC.addSuppressions, { body: { domains: [...domains, 'sandbox.test'] } }),
      ),
    );
    expect(added.created).toBe(1000);
    const done = parseResource(await rpc.call(ctx, OUTREACH_RPC.getSequence, { sequenceId }));
    expect(done).toMatchObject({ status: 'completed', counts: { active: 0, stopped: ROWS } });
  }, 120_000);

  it('answer empty lists', async () => {
    const other = testCtx('org_empty');
    const { rpc } = calls;
    const none = { mailboxId: null, sequenceId: null, label: null, unread: null, query: null };
    const empty = [
      rpc.call(other, OUTREACH_RPC.listMailboxes, PAGE),
      rpc.call(other, OUTREACH_RPC.listSequences, { ...PAGE, status: null }),
      rpc.call(other, OUTREACH_RPC.listApprovals, PAGE),
      rpc.call(other, OUTREACH_RPC.listSuppressions, { ...PAGE, query: null }),
      rpc.call(other, OUTREACH_RPC.listThreads, { ...PAGE, ...none }),
    ] as const;
    for (const list of await Promise.all(empty)) expect(list).toBe('{"items":[],"next_cursor":null}');
    expect(await rpc.call(other, OUTREACH_RPC.unsubscribe, { token: 'x'.repeat(24) })).toBe(false);
    expect(await rpc.call(other, OUTREACH_RPC.readUnsubscribe, { token: 'x'.repeat(24) })).toBeNull();
  });
});
