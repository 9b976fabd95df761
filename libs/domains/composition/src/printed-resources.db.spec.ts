import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Approval,
  Batch,
  Enrollment,
  Event,
  ExclusionPage,
  Job,
  JOB_STATUSES,
  LedgerEntry,
  Mailbox,
  MessageDraft,
  MonitorRun,
  Row,
  RowPage,
  Run,
  RunOutput,
  Sequence,
  SequenceStats,
  SequenceSummary,
  Suppression,
  Table,
  TablePage,
  TableView,
  TableWindow,
  Thread,
  ThreadMessages,
  Trail,
  Webhook,
  WebhookDelivery,
  WebhookList,
  Workspace,
  WorkspacePage,
} from '@quarry/dto';
import { newId } from '@quarry/app';
import { declaredStatements, type TxCtx } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
// All statements that build resources are in the composed libraries.
import './index.js';

const ctx = testCtx('org_printed');
const TENANT = [ctx.orgId, ctx.mode];
const APP = 'https://app.quarry.example';
const RETRYABLE = ['timeout'];
const [params, unasked] = [newId('svcjob'), newId('svcjob')];
const [ws, closed, conv, table, bare, batch, lonely, output] = [
  newId('ws'),
  newId('ws'),
  newId('conv'),
  newId('tbl'),
  newId('tbl'),
  newId('svcbatch'),
  newId('svcbatch'),
  newId('run'),
] as [string, string, string, string, string, string, string, string];
const RUNS = ['queued', 'running', 'recovering', 'failed', 'cancelled'].map((status) => ({
  status,
  id: newId('run'),
}));
const view = newId('view');
const [monitor, monitorRun] = [newId('mon'), newId('run')];
const DUE_AT = '2026-03-02T09:00:00.000Z';
const [hook, offHook] = [newId('wh'), newId('wh')];
const DELIVERIES = ['pending', 'delivered', 'failed', 'cancelled'].map((state) => ({
  state,
  id: newId('whd'),
}));
const [mailbox, removed] = [newId('mbx'), newId('mbx')];
const [sequence, fresh] = [newId('seq'), newId('seq')];
const [thread, draft, answer] = [newId('thr'), newId('drf'), newId('msg')];
const DIGEST = 'd'.repeat(64);
const APPROVALS = ['pending', 'approved', 'rejected', 'void', 'expired', 'draft'].map((state) => ({
  state,
  id: newId('apr'),
}));
const ROW_IDS = [newId('row'), newId('row'), newId('row')];
const DAY_MS = 86_400_000;

/** Validator of a resource, common to items of a page and single resources. */
interface SchemaValidator {
  parse(value: unknown): unknown;
}

/** Statements that build resources: the resource, the parameters of the calls, and the minimum number of results. */
const PRINTED: Record<string, { resource: SchemaValidator; params: unknown[][]; texts: number }> = {
  'run.read': {
    resource: Run,
    params: [...RUNS.map(({ id }) => [TENANT, id, APP]), [TENANT, output, APP]],
    texts: 6,
  },
  'run.list': { resource: Run, params: [[TENANT, null, APP, null, 100, 0]], texts: 6 },
  'run.output': { resource: RunOutput, params: [[TENANT, output]], texts: 1 },
  'batch-json.read': {
    resource: Batch,
    params: [
      [TENANT, batch, RETRYABLE],
      [TENANT, lonely, RETRYABLE],
    ],
    texts: 2,
  },
  ...Object.fromEntries(
    ['any', ...JOB_STATUSES].flatMap((status) =>
      ['ofAll', 'ofBatch'].map((of) => [
        `batch-json.listJobs.${status}.${of}`,
        {
          resource: Job,
          params: [[TENANT, status === 'any' ? null : status, null, of === 'ofAll' ? null : batch, 100, 0]],
          texts: status === 'any' ? 5 : 1,
        },
      ]),
    ),
  ),
  'batch.readTrail': {
    resource: Trail,
    params: [
      [TENANT, params],
      [TENANT, unasked],
    ],
    texts: 2,
  },
  'credit-statements.entries': {
    resource: LedgerEntry,
    params: [[`${ctx.orgId}:live`, null, null, null, null, null, 100]],
    texts: 3,
  },
  'exclusions.list': {
    resource: ExclusionPage,
    params: [
      [TENANT, 100, 0, 'companies'],
      [TENANT, 1, 0, 'companies'],
      [TENANT, 100, 0, 'people'],
    ],
    texts: 3,
  },
  'workspaces.list': {
    resource: WorkspacePage,
    params: [
      [TENANT, 1, 0, APP],
      [TENANT, 100, 1, APP],
      [TENANT, 100, 50, APP],
    ],
    texts: 3,
  },
  'workspaces.get': { resource: Workspace, params: [[TENANT, ws, APP]], texts: 1 },
  'tables.list': { resource: TablePage, params: [[TENANT, 100, 0, ws]], texts: 1 },
  'tables.find': { resource: TablePage, params: [[TENANT, 100, 0, ws, null]], texts: 1 },
  'tables.get': {
    resource: Table,
    params: [
      [TENANT, table],
      [TENANT, bare],
    ],
    texts: 2,
  },
  'tables.rows': {
    resource: RowPage,
    params: [
      [TENANT, table, 100, '-1'],
      [TENANT, bare, 100, '-1'],
    ],
    texts: 2,
  },
  'table-views.window': {
    resource: TableWindow,
    params: [
      [TENANT, table, 0, 500],
      [TENANT, table, 2, 1],
      [TENANT, bare, 0, 1],
    ],
    texts: 3,
  },
  'table-views.viewWindow': { resource: TableWindow, params: [[TENANT, table, 0, 500, view]], texts: 1 },
  'table-views.insert': { resource: TableView, params: [[TENANT, table, newId('view'), 901]], texts: 1 },
  'table-views.row': { resource: Row, params: ROW_IDS.map((id) => [TENANT, table, id]), texts: 3 },
  'event-log.readSubject': {
    resource: Event,
    params: RUNS.map(({ id }) => [TENANT, id, 0, null, 100]),
    texts: RUNS.length,
  },
  'event-log.readFeed': { resource: Event, params: [[TENANT, '0', 0, null, 100]], texts: RUNS.length },
  'event-log.readSubjects': {
    resource: Event,
    params: [
      [
        ctx.orgId,
        JSON.stringify(RUNS.map(({ id }, reader) => ({ reader, mode: ctx.mode, subject: id, seq: 0 }))),
        100,
      ],
    ],
    texts: RUNS.length,
  },
  'event-log.readFeeds': {
    resource: Event,
    params: [[ctx.orgId, JSON.stringify([{ reader: 0, mode: ctx.mode, xid: '0', position: 0 }]), 100]],
    texts: RUNS.length,
  },
  'monitor.listRuns': { resource: MonitorRun, params: [[TENANT, monitor, null, 10]], texts: 3 },
  'monitor.readRun': { resource: MonitorRun, params: [[TENANT, monitor, DUE_AT]], texts: 1 },
  'webhook.list': { resource: WebhookList, params: [[TENANT]], texts: 1 },
  'webhook.read': { resource: Webhook, params: [hook, offHook].map((id) => [TENANT, id]), texts: 2 },
  'webhook.lock': { resource: Webhook, params: [[TENANT, hook]], texts: 1 },
  'webhook-delivery.list': {
    resource: WebhookDelivery,
    params: [[TENANT, hook, null, 10]],
    texts: DELIVERIES.length,
  },
  'webhook-delivery.read': {
    resource: WebhookDelivery,
    params: DELIVERIES.map(({ id }) => [TENANT, hook, id]),
    texts: DELIVERIES.length,
  },
  'approval.decide': {
    resource: Approval,
    params: [[TENANT, APPROVALS[0]!.id, 'rejected', 'usr_printed', 1]],
    texts: 1,
  },
  'approval.insert': {
    resource: Approval,
    params: [[TENANT, newId('apr'), fresh, 1, DIGEST, 2, 4, 'Two "people"', null, 30]],
    texts: 1,
  },
  'approval.list': { resource: Approval, params: [[TENANT, null, null, 10]], texts: APPROVALS.length },
  'approval.lock': {
    resource: Approval,
    params: APPROVALS.map(({ id }) => [TENANT, id]),
    texts: APPROVALS.length,
  },
  'approval.read': {
    resource: Approval,
    params: APPROVALS.map(({ id }) => [TENANT, id]),
    texts: APPROVALS.length,
  },
  'approval.standing': { resource: Approval, params: [[TENANT, sequence, DIGEST]], texts: 1 },
  'draft.read': { resource: MessageDraft, params: [[TENANT, draft]], texts: 1 },
  'enrollment.list': { resource: Enrollment, params: [[TENANT, sequence, null, null, 10]], texts: 2 },
  'mailbox.list': { resource: Mailbox, params: [[TENANT, null, null, 10]], texts: 1 },
  'mailbox.read': { resource: Mailbox, params: [[TENANT, mailbox]], texts: 1 },
  'mailbox.lock': { resource: Mailbox, params: [[TENANT, mailbox]], texts: 1 },
  'sequence-stats.read': {
    resource: SequenceStats,
    params: [
      [TENANT, sequence],
      [TENANT, fresh],
    ],
    texts: 2,
  },
  'sequence.list': { resource: SequenceSummary, params: [[TENANT, null, null, null, 10]], texts: 2 },
  'sequence.read': {
    resource: Sequence,
    params: [
      [TENANT, sequence],
      [TENANT, fresh],
    ],
    texts: 2,
  },
  'suppression.list': { resource: Suppression, params: [[TENANT, null, null, null, 10]], texts: 2 },
  'thread.change': { resource: Thread, params: [[TENANT, thread, 'hot', true]], texts: 1 },
  'thread.list': {
    resource: Thread,
    params: [[TENANT, null, null, null, null, null, null, null, 10, null]],
    texts: 1,
  },
  'thread.messages': {
    resource: ThreadMessages.shape.messages.element,
    params: [[TENANT, thread, null, null, 10]],
    texts: 2,
  },
  'thread.read': { resource: Thread, params: [[TENANT, thread]], texts: 1 },
  'frozen-tables.rows': { resource: RowPage, params: [[TENANT, output, 'people', 100, '-1']], texts: 1 },
};

describe('JSON responses built by PostgreSQL', () => {
  const test = useTestDatabase();

  beforeAll(async () => {
    await test.database.transaction(ctx, fill);
    // The feed is delayed by open write transactions of the whole server, including those of other specs.
    const feed = declaredStatements().find(({ name }) => name === 'event-log.readFeed')!.text;
    await waitFor('the feed', async () => {
      const rows = await test.database.query(ctx, feed, PRINTED['event-log.readFeed']!.params[0]!);
      return rows.length >= RUNS.length;
    });
  });

  it('are registered in this spec for every statement that builds one', () => {
    const printing = declaredStatements().filter(({ text }) =>
      /\bAS json\b\s*($|FROM|,|\n)|\bpage\.cell_values AS "values"/.test(text),
    );
    printMeasurement(`statements that print an answer: ${printing.length}`);
    expect(printing.map(({ name }) => name).sort()).toEqual(Object.keys(PRINTED).sort());
  });

  it.each(Object.keys(PRINTED))('match the DTO %s, in every state of the rows', async (name) => {
    const { resource, params: calls, texts } = PRINTED[name]!;
    const { text } = declaredStatements().find((each) => each.name === name)!;
    const printed: unknown[] = [];
    for (const params of calls)
      for (const { json, rowCount, ...row } of await test.database.query(ctx, text, params))
        printed.push(
          rowCount === undefined
            ? JSON.parse(String(json))
            : { items: row.id === null ? [] : [row], next_cursor: null },
        );
    for (const each of printed) expect(() => resource.parse(each)).not.toThrow();
    expect(printed.length).toBeGreaterThanOrEqual(texts);
  });

  /** Creates an organisation with every resource in every state. */
  async function fill(tx: TxCtx): Promise<void> {
    const put = async (into: string, rows: Array<Record<string, unknown>>): Promise<void> => {
      for (const row of rows) {
        const values = Object.values(row).map((value) =>
          typeof value === 'object' && value !== null && !(value instanceof Date)
            ? JSON.stringify(value)
            : value,
        );
        await test.database.query(
          tx,
          `INSERT INTO ${into} (${Object.keys(row).join(', ')}) VALUES (${values.map((_, i) => `$${i + 1}`).join(', ')})`,
          values,
        );
      }
    };
    const own = { org_id: ctx.orgId, mode: ctx.mode };
    const [before, now] = [new Date(Date.now() - DAY_MS), new Date()];
    await put(
      'events.events',
      RUNS.map(({ id }) => ({
        ...own,
        id: newId('evt'),
        subject: id,
        seq: 1,
        type: 'run.completed',
        data: { status: 'completed' },
      })),
    );
    const date = { ...own, monitor_id: monitor, due_at: DUE_AT, trigger: 'schedule' };
    await put('runs.monitor_runs', [
      { ...date, status: 'completed', run_id: monitorRun, rows_max: 5, charged: 1500, ended_at: now },
      { ...date, due_at: '2026-03-03T09:00:00Z', status: 'skipped', reason: 'budget', ended_at: now },
      { ...date, due_at: '2026-03-04T09:00:00Z', trigger: 'manual', status: 'working' },
    ]);
    await putOutreach();
    const endpoint = {
      ...own,
      url: 'https://a.example/',
      types: '{run.completed,webhook.disabled}',
      sealed_secret: 'x',
    };
    await put('webhooks.endpoints', [
      { ...endpoint, id: hook, description: 'CRM "one"' },
      { ...endpoint, id: offHook, status: 'disabled', reason: 'failing' },
    ]);
    await put(
      'webhooks.deliveries',
      DELIVERIES.map(({ id, state }) => ({
        ...own,
        endpoint_id: hook,
        id,
        event_id: newId('evt'),
        type: 'run.completed',
        state,
        next_at: state === 'pending' ? now : null,
      })),
    );
    const attempt = { ...own, endpoint_id: hook, delivery_id: DELIVERIES[1]!.id, at: now, duration_ms: 0 };
    await put('webhooks.attempts', [
      { ...attempt, number: 1, error: 'The server cannot be reached.' },
      { ...attempt, number: 2, status_code: 204, answer: '' },
    ]);
    await put('tables.workspaces', [
      { ...own, id: ws, name: 'Open "quoted"' },
      { ...own, id: newId('ws'), name: '' },
      { ...own, id: closed, name: 'Closed', archived_at: now },
    ]);
    const columns = [
      { key: 'a', name: 'A', kind: 'text', qualification: {} },
      { key: 'b', name: 'B', kind: 'number', qualification: { criterion: 'is large', effect: 'require' } },
    ];
    const cell = {
      confidence: null,
      reasoning: null,
      citations: [],
      source: null,
      error: null,
      updated_at: now.toISOString(),
    };
    const cells = {
      a: {
        ...cell,
        status: 'filled',
        confidence: 'high',
        reasoning: 'seen',
        citations: [
          { url: 'https://a.example', title: null, excerpt: null, retrieved_at: now.toISOString() },
        ],
        source: { service: 'getEmail', provider: 'spec', job_id: null },
      },
      b: { ...cell, status: 'failed', error: { code: 'timeout', message: 'Too slow.' } },
    };
    const fits = [
      null,
      { status: 'unknown', score: null, reason: null, criteria: [] },
      {
        status: 'qualified',
        score: 1,
        reason: 'fits',
        criteria: [{ column_key: 'b', verdict: 'qualified', reason: 'large' }],
      },
    ];
    await put('tables.tables', [
      { ...own, id: table, workspace_id: ws, name: 'T', columns, row_set: 901, row_count: 3, qualified: 1 },
      { ...own, id: bare, workspace_id: ws, name: '', columns: [], row_set: 902 },
    ]);
    await put('tables.frozen_tables', [
      {
        ...own,
        run_id: output,
        key: 'people',
        workspace_id: ws,
        name: 'F',
        columns,
        row_set: 903,
        row_count: 3,
        qualified: 1,
        disqualified: 0,
      },
    ]);
    for (const rowSet of [901, 903])
      await put(
        'tables.rows',
        fits.map((fit, position) => ({
          org_id: own.org_id,
          row_set: rowSet,
          position,
          id: ROW_IDS[position],
          fit,
          cell_values: { a: position === 0 ? null : 'ä"\n', b: [1, { c: 2 }] },
          cells: position === 2 ? cells : {},
        })),
      );
    await put('tables.views', [
      {
        ...own,
        id: view,
        table_id: table,
        positions: '{2,0}',
        row_count: 2,
        revision: 1,
        expires_at: new Date(Date.now() + DAY_MS),
      },
    ]);
    await put('tables.exclusions', [
      { ...own, kind: 'companies', entry_key: 'a.example', domain: 'a.example' },
      {
        ...own,
        kind: 'companies',
        entry_key: 'b.example',
        domain: 'b.example',
        linkedin_url: 'https://www.linkedin.com/company/b',
      },
      {
        ...own,
        kind: 'people',
        entry_key: 'https://www.linkedin.com/in/c',
        linkedin_url: 'https://www.linkedin.com/in/c',
      },
    ]);

    await put('runs.conversations', [{ ...own, id: conv, workspace_id: ws }]);
    const run = { ...own, workspace_id: ws, conversation_id: conv, prompt: 'p', body_hash: '' };
    const artifacts = [
      {
        type: 'table',
        id: table,
        name: 'T',
        effect: 'created',
        links: { self: `/v1/tables/${table}`, rows: `/v1/tables/${table}/rows` },
      },
    ];
    for (const { id, status } of RUNS) {
      const isOpen = ['queued', 'running', 'recovering'].includes(status);
      await put('runs.runs', [
        {
          ...run,
          id,
          status,
          ended_at: isOpen ? null : now,
          ...(isOpen ? { conversation_id: await conversation() } : { message: 'Over.' }),
          ...(status === 'failed' ? { error: { code: 'run_lease_lost', message: 'run_lease_lost' } } : {}),
          ...(status === 'cancelled' ? { cancellation_requested: true } : { artifacts }),
        },
      ]);
    }
    await put('runs.runs', [
      {
        ...run,
        id: output,
        status: 'completed',
        ended_at: now,
        output_contract: {},
        output: { n: [null] },
        artifacts,
      },
    ]);

    await put('jobs.batches', [
      { ...own, id: batch, service: 'getEmail', size: 8, open_lines: 2 },
      { ...own, id: lonely, service: 'getEmail', size: 1, open_lines: 0, completed_at: now },
    ]);
    const job = { ...own, service: 'getEmail', batch_id: batch, input: {}, price: 1000 };
    const ended = { completed_at: now, started_at: before, attempt: 1 };
    const jobs = [
      { state: 'queued' },
      { state: 'running', attempt: 1, started_at: before },
      { ...ended, state: 'completed', provider: 'spec', result: { found: true } },
      { ...ended, state: 'completed', provider: 'spec', input: null, emptied_at: now },
      { ...ended, state: 'failed', error: { code: 'timeout', message: 'Too slow.' } },
      { state: 'failed', completed_at: now, error: { code: 'provider_rejected', message: 'Too little.' } },
      { state: 'cancelled', completed_at: now },
      // A job that left the batch before it started: in this batch it counts as cancelled, whatever its outcome.
      { ...ended, state: 'completed', provider: 'spec', result: { found: false } },
    ].map((each, i) => ({ ...job, input_index: i, id: newId('svcjob'), ...each }));
    const step = {
      provider: 'spec',
      outcome: 'hit',
      code: null,
      started_at: now,
      duration_ms: 3,
      cost: { amount: 0.5, unit: 'credit' },
    };
    const trailed = [
      { ...jobs[2]!, id: params, trail: [step, { ...step, outcome: 'failed', code: 'timeout', cost: null }] },
      { ...jobs[2]!, id: unasked },
    ];
    await put('jobs.jobs', jobs);
    await put('jobs.jobs', trailed);
    await put(
      'jobs.lines',
      jobs.map(({ id, input_index: i }) => ({
        batch_id: batch,
        input_index: i,
        org_id: own.org_id,
        job_id: id,
        reused: i === 3,
        cancelled_at: i === 7 ? now : null,
      })),
    );
    await put('jobs.lines', [
      { batch_id: lonely, input_index: 0, org_id: own.org_id, job_id: jobs[2]!.id, reused: true },
    ]);

    const account = `${ctx.orgId}:live`;
    await put('credits.accounts', [{ ...own, id: account }]);
    await put('credits.transfers', [
      { id: 'g', account_id: account, kind: 'grant', amount: 1000, reason: 'top-up' },
      { id: 'a', account_id: account, kind: 'adjustment', amount: -500, reason: null },
      { id: 'h', account_id: account, kind: 'hold', amount: 1 },
      {
        id: 'p',
        account_id: account,
        kind: 'post',
        amount: 1,
        hold_id: 'h',
        service: 'getEmail',
        batch_id: batch,
        job_id: jobs[2]!.id,
        input_index: 2,
        run_id: output,
      },
    ]);

    async function putOutreach(): Promise<void> {
      const box = { ...own, daily_limit: 50, ramp_up: true, gap_seconds: 60, time_zone: 'Europe/Berlin' };
      const record = { status: 'good', explanation: 'Fine.' };
      const domain = { spf: record, dkim: record, dmarc: record, checked_at: now.toISOString() };
      await put('outreach.mailboxes', [
        {
          ...box,
          id: mailbox,
          address: 'a@sender.example',
          domain,
          domain_checked_at: now,
          first_day: before,
        },
        { ...box, id: removed, address: 'b@sender.example', status: 'removed' },
      ]);
      const definition = {
        mailbox_ids: [mailbox],
        time_zone: 'UTC',
        window: { days: ['mon'], from: '00:00', to: '24:00' },
        daily_limit: null,
        steps: [{ delay_days: 0, subject: 's', body: 'b', channel: 'email' }],
      };
      const shape = {
        ...own,
        name: 'Spec "one"',
        definition,
        mailbox_ids: `{${mailbox}}`,
        time_zone: 'UTC',
        step_count: 1,
        window_days: '{1}',
        window_from: '00:00',
        window_to: '24:00',
      };
      await put('outreach.sequences', [
        { ...shape, id: sequence, status: 'active' },
        { ...shape, id: fresh, daily_limit: 5 },
      ]);
      const enrollment = { ...own, sequence_id: sequence, variables: {}, is_verified: true };
      const [first, second] = [newId('enl'), newId('enl')];
      await put('outreach.enrollments', [
        {
          ...enrollment,
          id: first,
          email: 'a@acme.com',
          unsubscribe_token: first,
          mailbox_id: mailbox,
          status: 'replied',
          reason: 'reply',
          step: 1,
          ended_at: now,
          thread_id: thread,
          table_id: table,
        },
        { ...enrollment, id: second, email: 'b@acme.com', unsubscribe_token: second, next_at: now },
      ]);
      const approval = {
        ...own,
        digest: DIGEST,
        audience: 2,
        messages: 2,
        summary: 'Spec',
        requested_by: 'key_printed',
        expires_at: new Date(Date.now() + DAY_MS),
      };
      await put(
        'outreach.approvals',
        APPROVALS.map(({ state, id }) => ({
          ...approval,
          id,
          requested_at: before,
          ...(state === 'draft'
            ? { kind: 'draft', draft_id: draft }
            : { kind: 'sequence', sequence_id: sequence, version: 1, status: state }),
          ...(state === 'approved' ? { decided_by: 'usr_printed', decided_at: now } : {}),
          ...(state === 'expired' ? { status: 'pending', expires_at: before } : {}),
        })),
      );
      await put('outreach.threads', [
        {
          ...own,
          id: thread,
          mailbox_id: mailbox,
          sequence_id: sequence,
          enrollment_id: first,
          contact_email: 'a@acme.com',
          subject: 'Hi',
          kind: 'reply',
          unread: true,
          received_at: now,
        },
      ]);
      const mail = {
        ...own,
        thread_id: thread,
        mailbox_id: mailbox,
        subject: 'Hi',
        body_text: 'x',
        from_address: 'a@x.example',
        to_address: 'b@x.example',
      };
      await put('outreach.messages', [
        {
          ...mail,
          id: newId('msg'),
          direction: 'out',
          state: 'sent',
          rfc_message_id: '1@x',
          ended_at: now,
          sequence_id: sequence,
          enrollment_id: first,
          step: 0,
        },
        {
          ...mail,
          id: newId('msg'),
          direction: 'in',
          state: 'received',
          rfc_message_id: '2@x',
          kind: 'reply',
          body_html: '<p>x</p>',
          quoted_text: '> x',
          ended_at: now,
        },
        {
          ...mail,
          id: answer,
          direction: 'out',
          state: 'planned',
          rfc_message_id: '3@x',
          draft_id: draft,
          due_at: now,
        },
      ]);
      await put('outreach.drafts', [
        {
          ...own,
          id: draft,
          thread_id: thread,
          to_address: 'a@acme.com',
          subject: 'Re: Hi',
          body_text: 'x',
          digest: DIGEST,
          approval_id: APPROVALS[5]!.id,
        },
      ]);
      await put('outreach.suppressions', [
        { ...own, id: newId('sup'), kind: 'address', value: 'a@acme.com', hash: '1', reason: 'manual' },
        { ...own, id: newId('sup'), kind: 'domain', value: null, hash: '2', reason: 'unsubscribed' },
      ]);
    }

    async function conversation(): Promise<string> {
      const id = newId('conv');
      await put('runs.conversations', [{ ...own, id, workspace_id: ws }]);
      return id;
    }
  }
});
