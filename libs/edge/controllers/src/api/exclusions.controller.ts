import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import {
  EXCLUSION_KINDS,
  ExclusionItemsRequest,
  type ExclusionKind,
  ExclusionPage,
  ExclusionsAdded,
  ExclusionsDeleted,
  ExclusionsSynchronised,
  ExclusionSyncRequest,
  OffsetPageQuery,
  TABLES_RPC,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { AppError } from '@quarry/error-codes';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, bodyOf, Documented, JsonRoute, queryOf, RequestCtx } from '@quarry/http';

/** Serves exclusions: companies and people that must never be sourced. */
@Controller('v1/exclusions/:kind')
export class ExclusionsController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'exclusions.list', command: 'exclusions list {kind}' },
    summary: 'Lists the entries of an exclusion list.',
    answers: { 200: { description: 'A page of entries.', body: ExclusionPage } },
    errors: ['not_found'],
    path: { kind: 'companies or people.' },
    choices: { kind: EXCLUSION_KINDS },
  })
  @Get()
  @JsonRoute({ query: 'validated' })
  listExclusions(
    @RequestCtx() ctx: Ctx,
    @Param('kind') kind: string,
    @Query(queryOf(OffsetPageQuery)) { limit, offset }: OffsetPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.listExclusions, { kind: kindOf(kind), limit, offset });
  }

  @Documented({
    client: { sdk: 'exclusions.add', command: 'exclusions add {kind} acme.example' },
    isRepeatable: true,
    summary: 'Excludes companies or people.',
    answers: { 200: { description: 'The result for the entries.', body: ExclusionsAdded } },
    errors: ['not_found'],
    path: { kind: 'companies or people.' },
    choices: { kind: EXCLUSION_KINDS },
    example: { items: [{ domain: 'acme.example' }] },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  addExclusions(
    @RequestCtx() ctx: Ctx,
    @Param('kind') kind: string,
    @Body(bodyOf(ExclusionItemsRequest)) { items }: ExclusionItemsRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.addExclusions, { kind: kindOf(kind), items });
  }

  @Documented({
    client: { sdk: 'exclusions.delete', command: 'exclusions remove {kind} acme.example' },
    summary: 'Removes entries from an exclusion list.',
    answers: { 200: { description: 'The result for the entries.', body: ExclusionsDeleted } },
    errors: ['not_found'],
    path: { kind: 'companies or people.' },
    choices: { kind: EXCLUSION_KINDS },
    example: { items: [{ domain: 'acme.example' }] },
  })
  @Delete()
  @JsonRoute({ body: BODIES.ordinary })
  deleteExclusions(
    @RequestCtx() ctx: Ctx,
    @Param('kind') kind: string,
    @Body(bodyOf(ExclusionItemsRequest)) { items }: ExclusionItemsRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.deleteExclusions, { kind: kindOf(kind), items });
  }

  @Documented({
    client: { sdk: 'exclusions.delete', command: 'exclusions remove {kind} acme.example' },
    isRepeatable: true,
    summary: 'Removes entries from an exclusion list, for clients that cannot send a DELETE with a body.',
    answers: { 200: { description: 'The result for the entries.', body: ExclusionsDeleted } },
    errors: ['not_found'],
    path: { kind: 'companies or people.' },
    choices: { kind: EXCLUSION_KINDS },
    example: { items: [{ domain: 'acme.example' }] },
  })
  @Post('delete')
  @JsonRoute({ body: BODIES.ordinary })
  removeExclusions(
    @RequestCtx() ctx: Ctx,
    @Param('kind') kind: string,
    @Body(bodyOf(ExclusionItemsRequest)) { items }: ExclusionItemsRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.deleteExclusions, { kind: kindOf(kind), items });
  }

  @Documented({
    client: { sdk: 'exclusions.sync', command: 'exclusions sync {kind} customers.csv' },
    summary: 'Replaces the entries of one source.',
    answers: {
      200: { description: 'What changed, or would change with dry_run.', body: ExclusionsSynchronised },
    },
    errors: ['not_found'],
    path: { kind: 'companies or people.' },
    choices: { kind: EXCLUSION_KINDS },
    example: { source: 'crm', items: [{ domain: 'acme.example' }], dry_run: true },
  })
  @Put()
  @JsonRoute({ body: BODIES.ordinary })
  syncExclusions(
    @RequestCtx() ctx: Ctx,
    @Param('kind') kind: string,
    @Body(bodyOf(ExclusionSyncRequest)) { source, items, dry_run: dryRun }: ExclusionSyncRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.syncExclusions, {
      kind: kindOf(kind),
      source,
      items,
      dryRun: dryRun ?? false,
    });
  }
}

/** @throws AppError not_found, which names the existing lists */
function kindOf(text: string): ExclusionKind {
  const kind = EXCLUSION_KINDS.find((known) => known === text);
  if (!kind) throw new AppError('not_found', `kind must be ${EXCLUSION_KINDS.join(' or ')}.`);
  return kind;
}
