import { Body, Controller, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ActivateSequenceRequest,
  Approval,
  ChangeSequenceRequest,
  CreateSequenceRequest,
  EnrollmentListQuery,
  EnrollmentPage,
  EnrollmentResult,
  EnrollRequest,
  OUTREACH_RPC,
  PreviewRequest,
  RequestApprovalRequest,
  Sequence,
  SequenceListQuery,
  SequencePage,
  SequencePreview,
  SequenceStats,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  queryOf,
  RequestCtx,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';

/** Serves sequences: messages to the people of a table or a monitor, sent only after a person's approval. */
@Controller('v1/sequences')
export class SequencesController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'sequences.create', command: 'sequences create sequence.json' },
    summary: 'Creates a sequence as a draft; nothing is sent.',
    description:
      'Steps are Liquid templates with the columns of the row. Messages are sent within the window, in the time zone of the sequence. At most 500 sequences that are not archived.',
    answers: { 201: { description: 'The sequence, a draft.', body: Sequence } },
    example: {
      name: 'Spring',
      mailbox_ids: ['mbx_01m8cxv81he00vh90g4am5mghn'],
      time_zone: 'Europe/Berlin',
      window: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' },
      steps: [
        { delay_days: 0, subject: 'Your data team', body: 'Hello {{ first_name }}, …' },
        { delay_days: 3, body: 'Did this reach you?' },
      ],
    },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  createSequence(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateSequenceRequest)) body: CreateSequenceRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.createSequence, { body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'sequences.list', command: 'sequences list' },
    summary: 'Lists the sequences, the newest first.',
    answers: { 200: { description: 'A page of sequences with their counts.', body: SequencePage } },
  })
  @Get()
  @JsonRoute({ query: 'validated' })
  listSequences(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(SequenceListQuery)) { status, limit, cursor }: SequenceListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.listSequences, {
      status: status ?? null,
      limit,
      cursor: cursor ?? null,
    });
  }

  @Documented({
    client: { sdk: 'sequences.get', command: 'sequences get {id}' },
    summary: 'Reads a sequence with its steps and its last approval.',
    answers: { 200: { description: 'The sequence.', body: Sequence } },
  })
  @Get(':id')
  @JsonRoute()
  getSequence(@RequestCtx() ctx: Ctx, @IdParam('seq') sequenceId: string): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.getSequence, { sequenceId });
  }

  @Documented({
    client: { sdk: 'sequences.update' },
    summary: 'Changes a sequence that is a draft, approved or paused.',
    description: 'Creates a new version and voids the approval. Omitted fields stay as they are.',
    answers: { 200: { description: 'The sequence in its new version.', body: Sequence } },
    errors: ['version_conflict'],
    example: { version: 1, changes: { daily_limit: 40 } },
  })
  @Patch(':id')
  @JsonRoute({ body: BODIES.ordinary })
  changeSequence(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @Body(bodyOf(ChangeSequenceRequest)) body: ChangeSequenceRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.changeSequence, { sequenceId, body });
  }

  @Documented({
    client: {
      sdk: 'sequences.enroll',
      command: 'sequences enroll {id} {body.table_id} --email-column {body.email_column}',
    },
    summary: 'Adds the people of a table or a monitor to a sequence; nothing is sent.',
    description:
      'Give table_id, or monitor_id for the rows that a monitor has reported so far. People who are suppressed, excluded, unverified, already contacted or without a valid address are skipped and counted. Sending the same rows again changes nothing. Voids the approval, and pauses an active sequence.',
    answers: {
      200: { description: 'A dry run: the counts. Nobody is enrolled.', body: EnrollmentResult },
      201: {
        description: 'How many were enrolled, and how many skipped, by reason.',
        body: EnrollmentResult,
      },
    },
    errors: ['table_not_found'],
    example: { table_id: 'tbl_01m8cxv81he00vh90g4am5mghn', email_column: 'email' },
  })
  @Post(':id/enrollments')
  @HttpCode(201)
  @JsonRoute({ rateClass: 'heavy', body: BODIES.ordinary })
  enroll(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(EnrollRequest)) body: EnrollRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (body.dry_run === true) reply.code(200);
    return this.rpc.call(ctx, OUTREACH_RPC.enroll, { sequenceId, body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'sequences.listEnrollments', command: 'sequences enrollments {id}' },
    summary: 'Lists the contacts of a sequence, with their state and why they stopped.',
    answers: { 200: { description: 'A page of contacts.', body: EnrollmentPage } },
  })
  @Get(':id/enrollments')
  @JsonRoute({ query: 'validated' })
  listEnrollments(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @Query(queryOf(EnrollmentListQuery)) { status, limit, cursor }: EnrollmentListQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.listEnrollments, {
      sequenceId,
      status: status ?? null,
      limit,
      cursor: cursor ?? null,
    });
  }

  @Documented({
    client: { sdk: 'sequences.preview', command: 'sequences preview {id}' },
    isRepeatable: true,
    summary: 'Renders the messages of up to ten contacts, with warnings.',
    description:
      'The digest identifies this exact text, audience and schedule; send it to request the approval.',
    answers: { 200: { description: 'The messages.', body: SequencePreview } },
    example: {},
  })
  @Post(':id/preview')
  @JsonRoute({ role: 'viewer', body: BODIES.ordinary })
  previewSequence(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @Body(bodyOf(PreviewRequest)) body: PreviewRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.previewSequence, { sequenceId, body });
  }

  @Documented({
    client: { sdk: 'sequences.requestApproval', command: 'sequences request-approval {id}' },
    isRepeatable: true,
    summary: 'Asks a person to approve exactly what the preview shows.',
    description:
      'A person decides in the web application; no API key can. Refused when a message lacks a variable, or when the digest is out of date.',
    answers: { 201: { description: 'The approval, pending.', body: Approval } },
    errors: ['version_conflict'],
    example: { digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  })
  @Post(':id/approvals')
  @JsonRoute({ body: BODIES.ordinary })
  requestApproval(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @Body(bodyOf(RequestApprovalRequest)) body: RequestApprovalRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.requestApproval, { sequenceId, body });
  }

  @Documented({
    client: { sdk: 'sequences.activate', command: 'sequences activate {id} {body.approval_id}' },
    isRepeatable: true,
    summary: 'Starts an approved sequence.',
    description: 'From now on its messages are sent, within its window and the limits of its mailboxes.',
    answers: { 200: { description: 'The sequence, active.', body: Sequence } },
    errors: ['approval_required'],
    example: { approval_id: 'apr_01m8cxv81he00vh90g4am5mghn' },
  })
  @Post(':id/activate')
  @JsonRoute({ body: BODIES.ordinary })
  activateSequence(
    @RequestCtx() ctx: Ctx,
    @IdParam('seq') sequenceId: string,
    @Body(bodyOf(ActivateSequenceRequest)) body: ActivateSequenceRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.activateSequence, { sequenceId, body });
  }

  @Documented({
    client: { sdk: 'sequences.pause', command: 'sequences pause {id}' },
    isRepeatable: true,
    summary: 'Pauses a sequence.',
    description:
      'Nothing more is sent after the answer, except messages already handed to a mail server. It needs a new approval to go on.',
    answers: { 200: { description: 'The sequence, paused.', body: Sequence } },
  })
  @Post(':id/pause')
  @JsonRoute()
  pauseSequence(@RequestCtx() ctx: Ctx, @IdParam('seq') sequenceId: string): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.pauseSequence, { sequenceId });
  }

  @Documented({
    client: { sdk: 'sequences.getStats', command: 'sequences stats {id}' },
    summary: 'Counts messages sent, bounces, replies and unsubscribes, by step and by day.',
    answers: { 200: { description: 'The counts.', body: SequenceStats } },
  })
  @Get(':id/stats')
  @JsonRoute()
  getSequenceStats(@RequestCtx() ctx: Ctx, @IdParam('seq') sequenceId: string): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.getSequenceStats, { sequenceId });
  }
}
