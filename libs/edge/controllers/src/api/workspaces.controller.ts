import { Body, Controller, Delete, Get, Post, Query, Res } from '@nestjs/common';
import {
  CreateWorkspaceRequest,
  FilePreview,
  FileQuery,
  OffsetPageQuery,
  Table,
  TablePage,
  TABLES_RPC,
  Workspace,
  WorkspacePage,
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
  Policy,
  queryOf,
  RequestCtx,
} from '@quarry/http';
import type { FastifyReply } from 'fastify';

/** Serves workspaces, and the tables in one. */
@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'workspaces.list' },
    summary: 'Lists workspaces, the oldest first.',
    answers: { 200: { description: 'A page of workspaces.', body: WorkspacePage } },
  })
  @Get()
  @JsonRoute({ query: 'validated' })
  listWorkspaces(
    @RequestCtx() ctx: Ctx,
    @Query(queryOf(OffsetPageQuery)) { limit, offset }: OffsetPageQuery,
  ) {
    return this.rpc.call(ctx, TABLES_RPC.listWorkspaces, { limit, offset });
  }

  @Documented({
    client: { sdk: 'workspaces.create' },
    summary: 'Creates a workspace.',
    answers: { 201: { description: 'The workspace.', body: Workspace } },
    example: { name: 'Autumn campaign' },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  createWorkspace(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateWorkspaceRequest)) { name }: CreateWorkspaceRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.createWorkspace, { name, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'workspaces.get' },
    summary: 'Reads a workspace.',
    answers: { 200: { description: 'The workspace.', body: Workspace } },
  })
  @Get(':id')
  @JsonRoute()
  getWorkspace(@RequestCtx() ctx: Ctx, @IdParam('ws') workspaceId: string): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.getWorkspace, { workspaceId });
  }

  @Documented({
    client: { sdk: 'workspaces.archive' },
    summary: 'Archives a workspace.',
    description:
      'Its tables and runs then answer 404, and are deleted after some time. Sequences go on: approved messages are sent to enrolled contacts.',
    answers: { 204: { description: 'Archived.', body: null } },
  })
  @Delete(':id')
  @Policy({})
  async archiveWorkspace(@RequestCtx() ctx: Ctx, @IdParam('ws') workspaceId: string): Promise<void> {
    await this.rpc.call(ctx, TABLES_RPC.archiveWorkspace, { workspaceId });
  }

  @Documented({
    client: { sdk: 'workspaces.listTables', command: 'tables list --workspace {id}' },
    summary: 'Lists the tables of a workspace.',
    answers: { 200: { description: 'A page of tables.', body: TablePage } },
  })
  @Get(':id/tables')
  @JsonRoute({ query: 'validated' })
  listTables(
    @RequestCtx() ctx: Ctx,
    @IdParam('ws') workspaceId: string,
    @Query(queryOf(OffsetPageQuery)) { limit, offset }: OffsetPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, TABLES_RPC.listTables, { workspaceId, limit, offset });
  }

  @Documented({
    client: { sdk: 'workspaces.importTable' },
    summary: 'Imports a table.',
    description:
      'Imports all rows or nothing. At most 100,000 rows, 200 columns, 64 MiB of body and 32 KiB per cell.',
    answers: { 201: { description: 'The table.', body: Table, headers: { Location: 'Path of the table.' } } },
    example: {
      name: 'Leads',
      columns: [{ key: 'domain', name: 'Domain' }],
      rows: [{ domain: 'acme.example' }],
    },
  })
  @Post(':id/tables')
  @JsonRoute({ body: BODIES.import })
  async importTable(
    @RequestCtx() ctx: Ctx,
    @IdParam('ws') workspaceId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body() body: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const made = await this.rpc.call(ctx, TABLES_RPC.importTable, { workspaceId, body, idempotencyKey });
    reply.header('Location', `/v1/tables/${made.id}`);
    return made.json;
  }

  @Documented({
    client: {
      sdk: "workspaces.importFile({id}, await openAsBlob('leads.csv', { type: 'text/csv' }), { name: 'Leads' })",
      command: 'tables import leads.csv --workspace {id}',
    },
    summary: 'Imports a CSV or XLSX file as a table.',
    description:
      'Encoding, delimiter, header and column kinds are detected; of a workbook the first visible sheet is read. `header` tells whether the first row has the column names. With `dry_run`, nothing is imported, and the answer shows what would be. At most 64 MiB.',
    answers: {
      200: { description: 'What would be imported.', body: FilePreview },
      201: { description: 'The table.', body: Table, headers: { Location: 'Path of the table.' } },
    },
  })
  @Post(':id/files')
  @JsonRoute({ query: 'validated', body: BODIES.file })
  async importFile(
    @RequestCtx() ctx: Ctx,
    @IdParam('ws') workspaceId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Query(queryOf(FileQuery)) { name, dry_run: dryRun, header }: FileQuery,
    @Body() bytes: Buffer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const file = {
      workspaceId,
      base64: bytes.toString('base64'),
      ...(header === undefined ? {} : { hasHeader: header === 'true' }),
    };
    if (dryRun === 'true') {
      reply.status(200);
      return this.rpc.call(ctx, TABLES_RPC.previewFile, file);
    }
    const made = await this.rpc.call(ctx, TABLES_RPC.importFile, { ...file, name, idempotencyKey });
    reply.status(201).header('Location', `/v1/tables/${made.id}`);
    return made.json;
  }
}
