import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseResource } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import {
  ACTOR,
  allOf,
  COLUMNS,
  contactRow,
  inMode,
  SequenceScene,
  requestOf,
} from '../sequence-scene.fixture.js';

const test = useTestDatabase();
let scene: SequenceScene;
let ctx: Ctx;
let orgs = 0;

beforeAll(() => {
  scene = new SequenceScene(test.database);
});
beforeEach(() => {
  ctx = testCtx(`org_sequences_${++orgs}`);
});

const people = (n: number) => Array.from({ length: n }, (_, i) => contactRow(`p${i}@acme.com`));
const change = (id: string, version: number, changes: object) =>
  scene.sequences.changeSequence(ctx, id, { version, changes } as never);
const statusOf = async (id: string) => (await scene.read(ctx, id)).status;
const approvalsOf = async () =>
  parseResource(await scene.approvals.listApprovals(ctx, { limit: 100, cursor: null })).items.map(
    ({ status }) => status,
  );

describe('a sequence', () => {
  it('is created once per idempotency key, and returned as requested', async () => {
    const body = requestOf([await scene.mailbox(ctx)]);
    const create = async () => parseResource(await scene.sequences.createSequence(ctx, body, 'key'));
    const [made, again] = await Promise.all([create(), create()]);
    expect(again).toEqual(made);
    expect(made).toMatchObject({ status: 'draft', version: 1, steps: 2, approval: null });
    expect(made.definition).toEqual({
      ...body,
      name: undefined,
      daily_limit: null,
      steps: body.steps.map((step) => ({ subject: null, ...step, channel: 'email' })),
    });
    await expect(
      scene.sequences.createSequence(ctx, { ...body, name: 'Other' }, 'key'),
    ).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  it.each([
    [{ mailbox_ids: ['mbx_00000000000000000000000000'] }, 'mailbox_ids[0]'],
    [{ time_zone: 'Berlin' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
    [{ time_zone: 'CAT' }, 'time_zone'],
    [{ window: { days: ['mon'], from: '17:00', to: '09:00' } }, 'window.to'],
    [{ steps: [{ delay_days: 0, body: 'x' }] }, 'steps[0].subject'],
    [{ steps: [{ delay_days: 0, subject: 'x', body: '{{ first_name' }] }, 'steps[0].body'],
    [{ steps: [{ delay_days: 0, subject: '{% include "x" %}', body: 'x' }] }, 'steps[0].subject'],
  ])('%j is refused, and the error names the field', async (wrong, path) => {
    const body = { ...requestOf([await scene.mailbox(ctx)]), ...wrong };
    await expect(scene.sequences.createSequence(ctx, body as never, null)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path }],
    });
  });

  it('can be changed only by a client that read the last version', async () => {
    const id = await scene.sequence(ctx);
    const changed = parseResource(await change(id, 1, { name: 'Other', daily_limit: 5 }));
    expect(changed).toMatchObject({ name: 'Other', version: 2, definition: { daily_limit: 5 } });
    await expect(change(id, 1, { name: 'Late' })).rejects.toMatchObject({ code: 'version_conflict' });
    await expect(
      change(id, 2, { steps: [{ delay_days: 0, subject: 'x', body: '{%' }] }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/^changes\.steps\[0\]\.body /) as unknown,
      details: [{ path: 'changes.steps[0].body' }],
    });
    const versions = await test.database.query(
      ctx,
      'SELECT version FROM outreach.sequence_versions WHERE org_id = $1 AND sequence_id = $2 ORDER BY version',
      [ctx.orgId, id],
    );
    expect(versions).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it('cannot be changed while active, and is archived for good', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(2));
    await scene.start(ctx, id);
    for (const changes of [{ name: 'x' }, { status: 'archived' }])
      await expect(change(id, 1, changes)).rejects.toMatchObject({ code: 'invalid_request' });
    await scene.sequences.pauseSequence(ctx, id);
    expect(parseResource(await change(id, 1, { status: 'archived' }))).toMatchObject({
      status: 'archived',
      counts: { stopped: 2 },
    });
    await expect(change(id, 1, { name: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(scene.enroll(ctx, id, people(1))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is listed in pages, newest first', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await scene.sequence(ctx));
    await change(ids[0]!, 1, { status: 'archived' });
    const found = await allOf(async (cursor) =>
      parseResource(await scene.sequences.listSequences(ctx, { status: 'draft', limit: 2, cursor })),
    );
    expect(found.map(({ sequence_id: id }) => id)).toEqual(ids.slice(1).reverse());
  });

  it('is invisible to another organisation and to the other mode', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(1));
    const { approval_id: approvalId, digest } = await scene.request(ctx, id);
    for (const other of [testCtx(`org_other_${orgs}`), inMode(ctx, ctx.mode === 'live' ? 'test' : 'live')]) {
      const refused = [
        () => scene.sequences.readSequence(other, id),
        () => scene.sequences.changeSequence(other, id, { version: 1, changes: { name: 'x' } }),
        () => scene.sequences.pauseSequence(other, id),
        () => scene.previewer.previewSequence(other, id, {}),
        () => scene.approvals.requestApproval(other, id, digest),
        () => scene.approvals.readApproval(other, approvalId),
        () => scene.approvals.decideApproval(other, ACTOR, approvalId, { decision: 'approve', digest }),
        () => scene.approvals.activateSequence(other, id, approvalId),
        () => scene.enroll(other, id, people(1)),
        () => scene.contactsOf(other, id),
        () => scene.statistics.readStatistics(other, id),
        () => scene.contacts.stopContact(other, { email: 'p0@acme.com', sequence_id: id }),
      ];
      for (const each of refused) await expect(each()).rejects.toMatchObject({ code: 'not_found' });
      expect(parseResource(await scene.contacts.stopContact(other, { email: 'p0@acme.com' })).stopped).toBe(
        0,
      );
      const page = { limit: 10, cursor: null };
      expect(parseResource(await scene.approvals.listApprovals(other, page)).items).toEqual([]);
      expect(
        parseResource(await scene.sequences.listSequences(other, { ...page, status: null })).items,
      ).toEqual([]);
      await expect(
        scene.sequence(other, { mailbox_ids: (await scene.read(ctx, id)).definition.mailbox_ids }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await scene.read(ctx, id)).toMatchObject({ version: 1, status: 'draft', counts: { waiting: 1 } });
  });
});

describe('a daily limit', () => {
  it('stays until it is removed', async () => {
    const id = await scene.sequence(ctx, { daily_limit: 3 });
    await change(id, 1, { name: 'Other' });
    expect(await scene.read(ctx, id)).toMatchObject({ definition: { daily_limit: 3 } });
    await change(id, 2, { daily_limit: null });
    expect(await scene.read(ctx, id)).toMatchObject({ definition: { daily_limit: null } });
  });
});

describe('enrolling', () => {
  it('skips rows and counts each under its first reason', async () => {
    const id = await scene.sequence(ctx);
    const earlier = await scene.sequence(ctx);
    await scene.enroll(ctx, earlier, [contactRow('known@acme.com')]);
    await scene.suppressions.addSuppressions(ctx, {
      addresses: ['never@acme.com'],
      domains: ['gone.example'],
    });
    const rows = [
      contactRow('ANN@acme.com'),
      contactRow(' ann@ACME.com '),
      contactRow('known@acme.com'),
      contactRow('never@acme.com', { isExcluded: true, isVerified: false }),
      contactRow('eva@mail.gone.example'),
      contactRow('barred@acme.com', { isExcluded: true, isVerified: false }),
      contactRow('new@acme.com', { isVerified: false }),
      contactRow('no address'),
      contactRow(null),
      contactRow('long@acme.com', { name: 'x'.repeat(40_000) }),
    ];
    const expected = {
      enrolled: 1,
      skipped: { suppressed: 2, excluded: 1, unverified: 1, duplicate: 2, invalid: 3 },
    };
    expect(await scene.enroll(ctx, id, rows, { dry_run: true })).toEqual(expected);
    expect(await scene.contactsOf(ctx, id)).toEqual([]);
    expect(await scene.enroll(ctx, id, rows)).toEqual(expected);
    expect(await scene.contactsOf(ctx, id)).toMatchObject([
      { email: 'ann@acme.com', status: 'waiting', step: 0, next_at: null, row_id: rows[0]!.id },
    ]);
    expect(await scene.enroll(ctx, id, rows.slice(0, 1))).toMatchObject({
      enrolled: 0,
      skipped: { duplicate: 1 },
    });
    expect(await scene.enroll(ctx, id, [rows[6]!], { allow_unverified: true })).toMatchObject({
      enrolled: 1,
    });
  });

  it('accepts contacts of an archived sequence unless a message was sent to them', async () => {
    const [first, second] = [contactRow('ann@acme.com'), contactRow('eva@acme.com')];
    const archived = await scene.sequence(ctx);
    await scene.enroll(ctx, archived, [first, second]);
    await test.database.query(
      ctx,
      `WITH thread AS (
         INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, contact_email, subject)
         VALUES ($1, $2, 'thr_left', 'mbx_left', 'eva@acme.com', 's'))
       INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, sequence_id, enrollment_id, step, state,
         rfc_message_id, from_address, to_address, subject, body_text, data_started_at)
       SELECT e.org_id, e.mode, 'msg_left', 'thr_left', 'mbx_left', 'out', e.sequence_id, e.id, 1, 'sent', 'left', 'a', e.email, 's', 'b', clock_timestamp()
       FROM outreach.enrollments e WHERE e.org_id = $1 AND e.mode = $2 AND e.email = 'eva@acme.com'`,
      [ctx.orgId, ctx.mode],
    );
    const id = await scene.sequence(ctx);
    expect(await scene.enroll(ctx, id, [first, second])).toMatchObject({ enrolled: 0 });
    await change(archived, 1, { status: 'archived' });
    expect(await scene.enroll(ctx, id, [first, second])).toMatchObject({
      enrolled: 1,
      skipped: { duplicate: 1 },
    });
  });

  it('accepts contacts removed unsent from another sequence, but none who was stopped everywhere', async () => {
    const rows = ['ann', 'eva', 'tim'].map((name) => contactRow(`${name}@acme.com`));
    const [first, second] = [await scene.sequence(ctx), await scene.sequence(ctx)];
    await scene.enroll(ctx, first, rows);
    await scene.contacts.stopContact(ctx, { email: 'ann@acme.com', sequence_id: first });
    await scene.contacts.stopContact(ctx, { email: 'eva@acme.com' });
    // Removed from one sequence first, and then from all.
    for (const from of [{ sequence_id: first }, {}])
      await scene.contacts.stopContact(ctx, { email: 'tim@acme.com', ...from });
    const enrollRows = (id: string, isDry: boolean) => scene.enroll(ctx, id, rows, { dry_run: isDry });
    for (const isDry of [true, false]) {
      // They stay removed: enrolling the same rows again must not bring them back unnoticed.
      expect(await enrollRows(first, isDry)).toMatchObject({ enrolled: 0, skipped: { duplicate: 3 } });
      expect(await enrollRows(second, isDry)).toMatchObject({ enrolled: 1, skipped: { duplicate: 2 } });
    }
  });

  it('ignores a time zone abbreviation in a row: the database reads it differently or not at all', async () => {
    const zones = ['CAT', 'IST', 'utc', 'America/New_York'];
    const rows = zones.map((zone, i) => contactRow(`p${i}@acme.com`, { values: { time_zone: zone } }));
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, rows);
    const kept = await test.database.query(
      ctx,
      'SELECT time_zone FROM outreach.enrollments WHERE org_id = $1 AND sequence_id = $2 ORDER BY email',
      [ctx.orgId, id],
    );
    expect(kept.map((row) => row['time_zone'])).toEqual([null, null, 'utc', 'America/New_York']);
  });

  it('counts sandbox addresses as verified in test mode, and not in live mode', async () => {
    const rows = () => [contactRow('reply+anna@sandbox.test', { isVerified: false, isFromSandbox: true })];
    for (const [mode, enrolled, invalid] of [
      ['test', 1, 0],
      ['live', 0, 1],
    ] as const) {
      const own = inMode(ctx, mode);
      const id = await scene.sequence(own);
      expect(await scene.enroll(own, id, rows())).toMatchObject({ enrolled, skipped: { invalid } });
    }
  });

  it('enrols the named rows, under the variable names that templates use', async () => {
    const id = await scene.sequence(ctx, { steps: [{ delay_days: 0, subject: 'x', body: '{{ who }}' }] });
    const rows = people(3);
    const more = {
      row_ids: [rows[1]!.id, 'row_00000000000000000000000000'],
      variables: { who: 'first_name' },
    };
    expect(await scene.enroll(ctx, id, rows, more)).toMatchObject({ enrolled: 1, skipped: { invalid: 1 } });
    const { messages } = await scene.preview(ctx, id);
    expect(messages.map(({ to, body_text: text }) => [to, text.split('\n')[0]])).toEqual([
      ['p1@acme.com', 'Ann'],
    ]);
    for (const [wrong, path] of [
      [{ email_column: 'mail' }, 'email_column'],
      [{ variables: { who: 'nobody' } }, 'variables.who'],
      [{ variables: { 'a b': 'email' } }, 'variables'],
      [{ variables: { who: 7 } }, 'variables.who'],
    ] as const)
      await expect(scene.enroll(ctx, id, rows, wrong)).rejects.toMatchObject({ details: [{ path }] });
    await expect(
      scene.enrollments.enrollContacts(ctx, id, {
        table_id: 'tbl_00000000000000000000000000',
        email_column: 'email',
      }),
    ).rejects.toMatchObject({ code: 'table_not_found' });
  });

  it('replays its response for a repeated idempotency key', async () => {
    const [id, other] = [await scene.sequence(ctx), await scene.sequence(ctx)];
    const body = { table_id: scene.table([contactRow('again@acme.com')]), email_column: 'email' };
    const enroll = async (to: string, more: object = {}) =>
      parseResource(await scene.enrollments.enrollContacts(ctx, to, { ...body, ...more }, 'key'));
    expect(await enroll(id, { dry_run: true })).toMatchObject({ enrolled: 1 });
    const made = await enroll(id);
    expect(made).toMatchObject({ enrolled: 1, skipped: { duplicate: 0 } });
    expect(await enroll(id)).toEqual(made);
    await expect(enroll(id, { allow_unverified: true })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(await enroll(other)).toMatchObject({ enrolled: 0, skipped: { duplicate: 1 } });
  });

  it('enrols what a monitor reported, and later only what is new', async () => {
    const id = await scene.sequence(ctx);
    const [monitorId, first, second] = [newId('mon'), newId('tbl'), newId('tbl')];
    const body = { monitor_id: monitorId, email_column: 'email' };
    const enroll = async (more: object = {}) =>
      parseResource(await scene.enrollments.enrollContacts(ctx, id, { ...body, ...more }));
    scene.rows.monitors.set(monitorId, []);
    expect(await enroll({ email_column: 'none yet' })).toMatchObject({ enrolled: 0 });
    const [ann, bob] = [contactRow('ann@acme.com'), contactRow('bob@acme.com')];
    const page = { tables: [{ tableId: first, columns: COLUMNS, rows: [ann, bob] }], missing: 2 };
    scene.rows.monitors.set(monitorId, [page]);
    expect(await enroll({ dry_run: true })).toMatchObject({ enrolled: 2, skipped: { invalid: 2 } });
    expect(await enroll()).toMatchObject({ enrolled: 2, skipped: { invalid: 2, duplicate: 0 } });
    await scene.start(ctx, id);
    expect(await enroll()).toMatchObject({ enrolled: 0, skipped: { invalid: 2, duplicate: 2 } });
    expect(await statusOf(id)).toBe('active');
    const cat = contactRow('cat@acme.com');
    const later = { tables: [{ tableId: second, columns: COLUMNS, rows: [ann, cat] }], missing: 0 };
    scene.rows.monitors.set(monitorId, [page, later]);
    expect(await enroll()).toMatchObject({ enrolled: 1, skipped: { invalid: 2, duplicate: 3 } });
    expect((await scene.contactsOf(ctx, id)).map((each) => [each.table_id, each.row_id])).toEqual([
      [first, ann.id],
      [first, bob.id],
      [second, cat.id],
    ]);
  });

  it('refuses a column that no table of the monitor has, and accepts one that some lack', async () => {
    const id = await scene.sequence(ctx);
    const monitorId = newId('mon');
    const [old, named] = [contactRow('old@acme.com'), contactRow('new@acme.com')];
    const more = [...COLUMNS, { ...COLUMNS[1]!, key: 'city' }];
    scene.rows.monitors.set(monitorId, [
      {
        tables: [{ tableId: newId('tbl'), columns: [COLUMNS[1]!], rows: [contactRow(undefined)] }],
        missing: 0,
      },
      { tables: [{ tableId: newId('tbl'), columns: COLUMNS, rows: [old] }], missing: 0 },
      {
        tables: [
          {
            tableId: newId('tbl'),
            columns: more,
            rows: [{ ...named, values: { ...named.values, city: 'Bonn' } }],
          },
        ],
        missing: 0,
      },
    ]);
    const body = { monitor_id: monitorId, email_column: 'email' };
    for (const [wrong, path] of [
      [{ email_column: 'mail' }, 'email_column'],
      [{ variables: { who: 'first_name', where: 'town' } }, 'variables.where'],
    ] as const) {
      await expect(scene.enrollments.enrollContacts(ctx, id, { ...body, ...wrong })).rejects.toMatchObject({
        details: [{ path }],
      });
      expect(await scene.contactsOf(ctx, id)).toEqual([]);
    }
    const variables = { first_name: 'first_name', where: 'city' };
    expect(
      parseResource(await scene.enrollments.enrollContacts(ctx, id, { ...body, variables })),
    ).toMatchObject({ enrolled: 2, skipped: { invalid: 1 } });
    const kept = await test.database.query(
      ctx,
      "SELECT variables->>'where' AS city FROM outreach.enrollments WHERE org_id = $1 AND sequence_id = $2 ORDER BY id",
      [ctx.orgId, id],
    );
    expect(kept).toEqual([{ city: null }, { city: 'Bonn' }]);
  });

  it('accepts a table or a monitor, and row ids only with a table', async () => {
    const id = await scene.sequence(ctx);
    const [table, monitor] = [{ table_id: scene.table(people(1)) }, { monitor_id: newId('mon') }];
    for (const [wrong, path] of [
      [{}, 'table_id'],
      [{ ...table, ...monitor }, 'table_id'],
      [{ ...monitor, row_ids: [newId('row')] }, 'row_ids'],
    ] as const)
      await expect(
        scene.enrollments.enrollContacts(ctx, id, { ...wrong, email_column: 'email' } as never),
      ).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('monitor_id'),
        details: [{ path }],
      });
    for (const monitorId of [monitor.monitor_id, 'mon_x'])
      await expect(
        scene.enrollments.enrollContacts(ctx, id, { monitor_id: monitorId, email_column: 'email' }),
      ).rejects.toMatchObject({ code: 'not_found', message: 'Monitor not found.' });
  });

  it('enrols a contact once if two sequences enrol them at the same time', async () => {
    const ids = [await scene.sequence(ctx), await scene.sequence(ctx)];
    const results = await Promise.all(ids.map((id) => scene.enroll(ctx, id, people(50))));
    expect(results.map(({ enrolled }) => enrolled).sort((a, b) => a - b)).toEqual([0, 50]);
  });

  it('enrols ten thousand rows in a bounded number of statements, and a dry run does too', async () => {
    const id = await scene.sequence(ctx);
    const rows = people(10_000);
    const requests: string[] = [];
    const { database } = test;
    const query = database.query.bind(database) as (...args: unknown[]) => Promise<unknown>;
    const watched = new Proxy(database, {
      get: (target, name) =>
        name === 'query'
          ? (...args: unknown[]) => {
              requests.push(typeof args[1] === 'string' ? args[1] : (args[1] as { name: string }).name);
              return query(...args);
            }
          : Reflect.get(target, name),
    });
    const counted = new SequenceScene(watched);
    counted.rows.tables.set('tbl_00000000000000000000000001', rows);
    const body = { table_id: 'tbl_00000000000000000000000001', email_column: 'email' };
    const result = parseResource(await counted.enrollments.enrollContacts(ctx, id, body));
    expect(result).toMatchObject({ enrolled: 10_000 });
    expect(requests.length).toBeLessThanOrEqual(20);
    requests.length = 0;
    const { approval_id: approvalId } = await counted.request(ctx, id);
    expect(requests.length).toBeLessThanOrEqual(40);
    requests.length = 0;
    const details = parseResource(await counted.approvals.readApproval(ctx, approvalId));
    expect([details.approval.messages, details.recipients.length]).toEqual([20_000, 1000]);
    expect(requests.length).toBeLessThanOrEqual(8);
  });

  it('pauses an active sequence and voids its approval', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(1));
    const approvalId = await scene.start(ctx, id);
    expect(await scene.enroll(ctx, id, people(1))).toMatchObject({ enrolled: 0 });
    expect(await statusOf(id)).toBe('active');
    await scene.enroll(ctx, id, [contactRow('new@acme.com')]);
    expect([await statusOf(id), await approvalsOf()]).toEqual(['paused', ['void']]);
    await expect(scene.approvals.activateSequence(ctx, id, approvalId)).rejects.toMatchObject({
      code: 'approval_required',
    });
  });

  it('lists the waiting contacts in pages', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(5));
    const found = await allOf(async (cursor) =>
      parseResource(
        await scene.enrollments.listEnrollments(ctx, { sequenceId: id, status: 'waiting', limit: 2, cursor }),
      ),
    );
    expect(found.map(({ email }) => email)).toEqual(people(5).map(({ values }) => values.email));
  });
});

describe('a preview', () => {
  it('shows each message as it would be sent, with the unsubscribe line', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, [contactRow('a@acme.com', { name: 'A <b>' })]);
    const { messages, total_messages: total, warnings } = await scene.preview(ctx, id);
    expect(messages.map(({ step, to, subject, body_text: text }) => ({ step, to, subject, text }))).toEqual([
      {
        step: 0,
        to: 'a@acme.com',
        subject: 'Hello A <b>',
        text: 'Hi A <b>, a question.\n\nUnsubscribe: https://quarry.example/u/…',
      },
      {
        step: 1,
        to: 'a@acme.com',
        subject: 'Re: Hello A <b>',
        text: 'Did you see my mail, A <b>?\n\nUnsubscribe: https://quarry.example/u/…',
      },
    ]);
    expect(messages[0]!.body_html).toContain('A &lt;b&gt;');
    expect([total, warnings]).toEqual([2, []]);
  });

  it('warns of what speaks against sending', async () => {
    const plain = new SequenceScene(test.database, 'http://127.0.0.1:3000');
    const id = await scene.sequence(ctx, {
      steps: [{ delay_days: 0, subject: 'Act now', body: `{{ first_name }} ${'x'.repeat(2001)}` }],
    });
    const live = await scene.read(ctx, id);
    await test.database.query(
      ctx,
      `UPDATE outreach.mailboxes SET smtp = '{}', domain = $3 WHERE org_id = $1 AND id = $2`,
      [
        ctx.orgId,
        live.definition.mailbox_ids[0],
        JSON.stringify({
          spf: { status: 'missing', explanation: 'Add one.' },
          dkim: { status: 'good', explanation: '' },
          dmarc: { status: 'unknown', explanation: '' },
          checked_at: '2026-01-01T00:00:00.000Z',
        }),
      ],
    );
    await scene.enroll(
      ctx,
      id,
      [contactRow('a@acme.com', { isVerified: false }), contactRow('b@acme.com', { name: null })],
      { allow_unverified: true },
    );
    const { warnings, messages } = parseResource(await plain.previewer.previewSequence(ctx, id, {}));
    expect(warnings.map(({ code, step }) => [code, step])).toEqual([
      ['unsubscribe_not_https', null],
      ['not_signed', null],
      ['domain_records', null],
      ['unverified', null],
      ['spam_words', 0],
      ['long_text', 0],
      ['missing_variable', 0],
    ]);
    expect(messages.map(({ to }) => to)).toEqual(['a@acme.com']);
  });

  it('has another digest if the text, the contacts, their values or the mailboxes differ', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(2));
    const digests = [(await scene.preview(ctx, id)).digest];
    const next = async () => digests.push((await scene.preview(ctx, id)).digest);
    expect((await scene.preview(ctx, id)).digest).toBe(digests[0]);
    await change(id, 1, { window: { days: ['mon'], from: '09:00', to: '17:00' } });
    await next();
    await change(id, 2, { mailbox_ids: [await scene.mailbox(ctx)] });
    await next();
    await scene.enroll(ctx, id, [contactRow('new@acme.com')]);
    await next();
    const [contact] = await scene.contactsOf(ctx, id);
    await test.database.query(
      ctx,
      `UPDATE outreach.enrollments SET variables = '{"first_name":"Eva"}' WHERE org_id = $1 AND id = $2`,
      [ctx.orgId, contact!.enrollment_id],
    );
    await next();
    expect(new Set(digests).size).toBe(5);
  });

  it('shows the requested contacts, and refuses those it does not write to', async () => {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, people(12));
    expect(new Set((await scene.preview(ctx, id)).messages.map(({ to }) => to)).size).toBe(10);
    const last = (await scene.contactsOf(ctx, id)).at(-1)!.enrollment_id;
    const preview = parseResource(await scene.previewer.previewSequence(ctx, id, { enrollment_ids: [last] }));
    expect(preview.messages.map(({ to }) => to)).toEqual(['p11@acme.com', 'p11@acme.com']);
    await scene.contacts.stopContact(ctx, { email: 'p11@acme.com' });
    await expect(scene.previewer.previewSequence(ctx, id, { enrollment_ids: [last] })).rejects.toMatchObject({
      message: 'enrollment_ids[0] is not an active contact of this sequence',
      details: [{ path: 'enrollment_ids[0]' }],
    });
  });
});
