import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import {
  AddSuppressionsRequest,
  ContactStopped,
  CursorPageQuery,
  MailboxPage,
  OUTREACH_RPC,
  StopContactRequest,
  SuppressionPage,
  SuppressionQuery,
  SuppressionsAdded,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, Documented, JsonRoute, queryOf, RequestCtx } from '@quarry/http';

/** Serves contacts and suppressions. */
@Controller('v1')
export class ContactsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'mailboxes.list', command: 'mailboxes' },
    summary: 'Lists the mailboxes, with health, limits and the number of messages sent today.',
    description: 'Mailboxes are connected in the web application only: no API key sees a password.',
    answers: { 200: { description: 'A page of mailboxes.', body: MailboxPage } },
  })
  @Get('mailboxes')
  @JsonRoute({ query: 'validated' })
  listMailboxes(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.listMailboxes, { limit, cursor: cursor ?? null });
  }

  @Documented({
    client: { sdk: 'contacts.stop' },
    isRepeatable: true,
    summary: 'Removes a contact from one sequence or from all, and can suppress the address.',
    answers: { 200: { description: 'What was stopped.', body: ContactStopped } },
    errors: ['not_found'],
    example: { email: 'anna@acme.example', suppress: true },
  })
  @Post('contacts/stop')
  @JsonRoute({ body: BODIES.ordinary })
  stopContact(
    @RequestCtx() ctx: Ctx,
    @Body(bodyOf(StopContactRequest)) body: StopContactRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.stopContact, { body });
  }

  @Documented({
    client: { sdk: 'contacts.listSuppressions', command: 'suppressions list' },
    summary: 'Lists the suppressed addresses and domains, the newest first.',
    answers: { 200: { description: 'A page of suppressions, each with its reason.', body: SuppressionPage } },
  })
  @Get('suppressions')
  @JsonRoute({ query: 'validated' })
  listSuppressions(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(SuppressionQuery)) { query, limit, cursor }: SuppressionQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.listSuppressions, {
      query: query ?? null,
      limit,
      cursor: cursor ?? null,
    });
  }

  @Documented({
    client: { sdk: 'contacts.suppress', command: 'suppressions add anna@acme.example' },
    isRepeatable: true,
    summary: 'Suppresses addresses and domains: nothing is ever sent to them again.',
    description:
      'Entries that are not an address or domain are rejected one by one. Entries are removed in the web application only.',
    answers: { 201: { description: 'What was added.', body: SuppressionsAdded } },
    example: { addresses: ['anna@acme.example'], domains: ['competitor.example'] },
  })
  @Post('suppressions')
  @JsonRoute({ body: BODIES.ordinary })
  addSuppressions(
    @RequestCtx() ctx: Ctx,
    @Body(bodyOf(AddSuppressionsRequest)) body: AddSuppressionsRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, OUTREACH_RPC.addSuppressions, { body });
  }
}
