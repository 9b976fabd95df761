import { ENROLLMENT_STATUSES, OUTREACH_RPC, SEQUENCE_STATUSES, WEEKDAYS } from '@quarry/dto';
import { requireId } from '@quarry/app';
import { z } from 'zod';
import { pageThatFits } from '../page-that-fits.js';
import type { ToolCall } from '../tool-call.js';
import { defineTool, EFFECTS, FREE, type ToolEffects } from '../tool.js';
import { args, cursor, id, idempotencyKey, keyOf, limit } from './arguments.js';

const sequenceId = z.string().min(1);
const digest = z.string().length(64).describe('The digest that sequence_preview returned.');
const timeOfDay = z.string().regex(/^\d\d:\d\d$/);
const definition = {
  mailbox_ids: z.array(z.string()).min(1).max(50).describe('From sequence_mailboxes_get.'),
  time_zone: z.string().min(1).describe('An IANA time zone, such as Europe/Berlin.'),
  window: args({
    days: z.array(z.enum(WEEKDAYS)).min(1),
    from: timeOfDay,
    to: timeOfDay.describe('24:00 is the end of the day.'),
  }).describe('When messages may be sent.'),
  daily_limit: z.int().min(1).optional(),
  steps: z
    .array(
      args({
        delay_days: z.int().min(0).max(365).describe('Days after the previous message.'),
        subject: z.string().optional().describe('Only in the first step; later steps reply in its thread.'),
        body: z
          .string()
          .min(1)
          .describe('Liquid with the variables of the enrollment: Hello {{ first_name }}, …'),
        channel: z.literal('email').optional(),
      }),
    )
    .min(1)
    .max(10),
};

/** Effects of a tool that sends something outside, once. */
const SENDS: ToolEffects = { ...EFFECTS.ends, openWorldHint: true };

interface Linked {
  links: { self?: string; app: string };
}

/** Returns a result with the address of its page in the web application instead of its links. */
export function withAppUrl<Answer extends object>(call: ToolCall, answer: Answer): Record<string, unknown> {
  const { links, ...rest } = answer as Answer & Linked;
  return { ...rest, app_url: `${call.baseUrl}${links.app}` };
}

export const sequenceMailboxesGet = defineTool({
  ...FREE,
  name: 'sequence_mailboxes_get',
  title: 'List mailboxes',
  description:
    'Lists the mailboxes that sequences can send from, with health, limits and messages sent today.',
  input: args({ limit: limit(100, 25), cursor }),
  effects: EFFECTS.reads,
  // The reason of a status quotes mail servers.
  holdsForeignText: true,
  run: ({ limit: most, cursor: from }, call) =>
    pageThatFits(
      most,
      (size) => call.readRpc(OUTREACH_RPC.listMailboxes, { limit: size, cursor: from ?? null }),
      (item) => item,
    ),
});

export const sequenceMailboxConnect = defineTool({
  ...FREE,
  name: 'sequence_mailbox_connect',
  title: 'Connect a mailbox',
  description:
    'Returns a link to the web application, where a person enters the credentials. Never ask for a password here.',
  input: args({ address: z.string().min(3).max(254).describe('The e-mail address.') }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  run: ({ address }, call) =>
    Promise.resolve({
      app_url: `${call.baseUrl}/app/settings/mailboxes?mode=${call.ctx.mode}&connect=${encodeURIComponent(address)}`,
    }),
});

export const sequenceList = defineTool({
  ...FREE,
  name: 'sequence_list',
  title: 'List sequences',
  description: 'Lists sequences with their status and counts, the newest first.',
  input: args({ status: z.enum(SEQUENCE_STATUSES).optional(), limit: limit(100, 25), cursor }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  run: ({ status, limit: most, cursor: from }, call) =>
    pageThatFits(
      most,
      (size) =>
        call.readRpc(OUTREACH_RPC.listSequences, {
          limit: size,
          cursor: from ?? null,
          status: status ?? null,
        }),
      (item) => withAppUrl(call, item),
    ),
});

export const sequenceGet = defineTool({
  ...FREE,
  name: 'sequence_get',
  title: 'Read a sequence',
  description: 'Reads the steps, schedule, last approval and counts of one sequence.',
  input: args({ sequence_id: sequenceId }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  run: async ({ sequence_id: of }, call) =>
    withAppUrl(call, await call.readRpc(OUTREACH_RPC.getSequence, { sequenceId: requireId('seq', of) })),
});

export const sequenceCreate = defineTool({
  ...FREE,
  name: 'sequence_create',
  title: 'Create a sequence',
  description:
    'Creates a draft; nothing is sent. Then sequence_enroll, sequence_preview, sequence_approval_request and, once a person has approved, sequence_activate.',
  input: args({ name: z.string().min(1).max(200), ...definition, idempotency_key: idempotencyKey }),
  effects: EFFECTS.writes,
  holdsForeignText: false,
  async run({ idempotency_key: key, ...body }, call) {
    const idempotency = keyOf({ idempotency_key: key });
    return shownSequence(
      call,
      await call.readRpc(OUTREACH_RPC.createSequence, {
        body: givenFields(body),
        idempotencyKey: idempotency,
      }),
    );
  },
});

export const sequenceUpdate = defineTool({
  ...FREE,
  name: 'sequence_update',
  title: 'Change a sequence',
  description:
    'Changes a draft, approved or paused sequence, and voids its approval. Send the version that you read.',
  input: args({
    sequence_id: sequenceId,
    version: z.int().min(1),
    // The schema of sequence_create describes the fields, and a model reads both.
    changes: z
      .record(z.string(), z.unknown())
      .describe('Fields of sequence_create to change.')
      .pipe(
        args({
          name: z.string().min(1).max(200).optional(),
          mailbox_ids: definition.mailbox_ids.optional(),
          time_zone: definition.time_zone.optional(),
          window: definition.window.optional(),
          daily_limit: definition.daily_limit.nullable(),
          steps: definition.steps.optional(),
        }),
      ),
  }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  async run({ sequence_id: of, version, changes }, call) {
    const body = { version, changes: givenFields(changes) };
    return shownSequence(
      call,
      await call.readRpc(OUTREACH_RPC.changeSequence, { sequenceId: requireId('seq', of), body }),
    );
  },
});

export const sequenceEnroll = defineTool({
  ...FREE,
  name: 'sequence_enroll',
  title: 'Enroll people',
  description:
    'Adds rows of a table, or what a monitor has found. Suppressed, excluded, unverified and already contacted people are skipped and counted. Nothing is sent. Enrolling into an active sequence pauses it until a person approves again.',
  input: args({
    sequence_id: sequenceId,
    table_id: z.string().min(1).optional(),
    monitor_id: id('Instead of a table: the rows that the monitor has reported so far.').optional(),
    row_ids: z.array(z.string()).min(1).max(10_000).optional().describe('All rows of the table by default.'),
    email_column: z.string().min(1).describe('Key of the column with the e-mail addresses.'),
    variables: z
      .record(z.string(), z.string())
      .optional()
      .describe('Variable names to column keys; by default every column, by its key.'),
    allow_unverified: z.boolean().optional().describe('Only when the user has asked for it.'),
    dry_run: z.boolean().optional().describe('Only count.'),
    idempotency_key: idempotencyKey,
  }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  run: ({ sequence_id: of, idempotency_key: key, ...body }, call) =>
    call.readRpc(OUTREACH_RPC.enroll, {
      sequenceId: requireId('seq', of),
      body: givenFields(body),
      idempotencyKey: keyOf({ idempotency_key: key }),
    }),
});

export const sequenceEnrollmentsGet = defineTool({
  ...FREE,
  name: 'sequence_enrollments_get',
  title: 'List contacts of a sequence',
  description: 'Lists the contacts of a sequence, with their state and why they stopped.',
  input: args({
    sequence_id: sequenceId,
    status: z.enum(ENROLLMENT_STATUSES).optional(),
    limit: limit(100, 25),
    cursor,
  }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  run: ({ sequence_id: of, status, limit: most, cursor: from }, call) => {
    const filter = { sequenceId: requireId('seq', of), status: status ?? null };
    return pageThatFits(
      most,
      (size) => call.readRpc(OUTREACH_RPC.listEnrollments, { limit: size, cursor: from ?? null, ...filter }),
      (item) => item,
    );
  },
});

export const sequencePreview = defineTool({
  ...FREE,
  name: 'sequence_preview',
  title: 'Preview messages',
  description:
    'Renders the messages of up to 10 contacts, with warnings. Show the user a message and every warning before you ask for approval.',
  input: args({
    sequence_id: sequenceId,
    enrollment_ids: z.array(z.string()).min(1).max(10).optional().describe('The first ones by default.'),
  }),
  effects: EFFECTS.reads,
  holdsForeignText: true,
  async run({ sequence_id: of, ...body }, call) {
    const preview = await call.readRpc(OUTREACH_RPC.previewSequence, {
      sequenceId: requireId('seq', of),
      body: givenFields(body),
    });
    // The text is complete, and the HTML is generated from it.
    const messages = (preview.messages as object[]).map((message) => ({ ...message, body_html: undefined }));
    return { ...preview, messages };
  },
});

export const sequenceApprovalRequest = defineTool({
  ...FREE,
  name: 'sequence_approval_request',
  title: 'Request approval',
  description:
    'Asks a person to approve exactly what the preview shows. Give the user app_url: only a person can approve, in the web application.',
  input: args({ sequence_id: sequenceId, digest }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  async run({ sequence_id: of, digest: seen }, call) {
    const approval = await call.readRpc(OUTREACH_RPC.requestApproval, {
      sequenceId: requireId('seq', of),
      body: { digest: seen },
    });
    const { approval_id, status, summary, app_url } = withAppUrl(call, approval);
    return { approval_id, status, summary, app_url };
  },
});

export const sequenceActivate = defineTool({
  ...FREE,
  name: 'sequence_activate',
  title: 'Start a sequence',
  description:
    'Starts an approved sequence: from now on its messages are sent. Refused without a valid approval of this version.',
  input: args({ sequence_id: sequenceId, approval_id: id('From sequence_approval_request.') }),
  effects: SENDS,
  holdsForeignText: false,
  async run({ sequence_id: of, approval_id: approvalId }, call) {
    const request = { sequenceId: requireId('seq', of), body: { approval_id: requireId('apr', approvalId) } };
    return shownSequence(call, await call.readRpc(OUTREACH_RPC.activateSequence, request));
  },
});

export const sequencePause = defineTool({
  ...FREE,
  name: 'sequence_pause',
  title: 'Pause a sequence',
  description:
    'Nothing more is sent, except messages already handed to the mail server. To go on, it needs a new approval.',
  input: args({ sequence_id: sequenceId }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  run: async ({ sequence_id: of }, call) =>
    shownSequence(call, await call.readRpc(OUTREACH_RPC.pauseSequence, { sequenceId: requireId('seq', of) })),
});

export const sequenceContactStop = defineTool({
  ...FREE,
  name: 'sequence_contact_stop',
  title: 'Stop a contact',
  description:
    'Stops a contact in one sequence or in all; with suppress, nothing is sent to the address again.',
  input: args({
    sequence_id: id('All sequences by default.').optional(),
    email: z.string().min(3).max(254),
    suppress: z.boolean().optional(),
  }),
  effects: EFFECTS.ends,
  holdsForeignText: false,
  run: ({ sequence_id: of, ...body }, call) =>
    call.readRpc(OUTREACH_RPC.stopContact, {
      body: givenFields({ ...body, sequence_id: of === undefined ? undefined : requireId('seq', of) }),
    }),
});

export const sequenceStatsGet = defineTool({
  ...FREE,
  name: 'sequence_stats_get',
  title: 'Read results',
  description: 'Counts messages sent, bounces, replies and unsubscribes, by step and by day.',
  input: args({ sequence_id: sequenceId }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  run: ({ sequence_id: of }, call) =>
    call.readRpc(OUTREACH_RPC.getSequenceStats, { sequenceId: requireId('seq', of) }),
});

export const sequenceSuppressionsGet = defineTool({
  ...FREE,
  name: 'sequence_suppressions_get',
  title: 'List suppressions',
  description: 'Lists the suppressed addresses and domains, each with the reason.',
  input: args({ query: z.string().min(1).max(254).optional(), limit: limit(500, 100), cursor }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  run: ({ query, limit: most, cursor: from }, call) =>
    pageThatFits(
      most,
      (size) =>
        call.readRpc(OUTREACH_RPC.listSuppressions, {
          limit: size,
          cursor: from ?? null,
          query: query ?? null,
        }),
      (item) => item,
    ),
});

export const sequenceSuppressionsAdd = defineTool({
  ...FREE,
  name: 'sequence_suppressions_add',
  title: 'Add suppressions',
  description:
    'Suppresses addresses and domains: nothing is sent to them again. Only a person can remove entries, in the web application.',
  input: args({
    addresses: z.array(z.string()).max(1000).optional(),
    domains: z.array(z.string()).max(1000).optional(),
  }),
  effects: EFFECTS.writesOnce,
  holdsForeignText: false,
  run: (body, call) => call.readRpc(OUTREACH_RPC.addSuppressions, { body: givenFields(body) }),
});

/** Returns a sequence without the definition and the approval, which sequence_get returns. */
function shownSequence(call: ToolCall, sequence: Record<string, unknown>): Record<string, unknown> {
  const { definition: _definition, approval: _approval, created_at: _made, ...shown } = sequence;
  return withAppUrl(call, shown);
}

type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** Omits fields that were not given. */
export function givenFields<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
