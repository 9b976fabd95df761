import { Readable } from 'node:stream';
import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import {
  CreateExportLinkRequest,
  CreateExportRequest,
  CreateTableExportRequest,
  Export,
  type ExportHead,
  ExportLink,
  jsonText,
  TABLES_RPC,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  type ByteRange,
  byteRangeOf,
  Documented,
  IdempotencyKey,
  IdParam,
  isTagKnown,
  JsonRoute,
  Policy,
  RequestCtx,
} from '@quarry/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf } from './base-url.js';
import { APP_URL } from '../tokens.js';

/** Bytes per read from the tables service. Source: TABLES_RPC.readExport. */
const CHUNK_BYTES = 1024 * 1024;
const LINK_HOURS = 24;
const FILE_ANSWERS = {
  200: {
    description: 'The file.',
    body: 'file',
    headers: {
      ETag: 'Identifies this content.',
      'Content-Disposition': 'Name of the file.',
      'Accept-Ranges': 'bytes',
    },
  },
  206: {
    description: 'A part of the file.',
    body: 'file',
    headers: { ETag: 'Identifies this content.', 'Content-Range': 'Which part.' },
  },
  304: {
    description: 'The client already has it.',
    body: null,
    headers: { ETag: 'Identifies this content.' },
  },
} as const;

/** Serves exports: creates and downloads them. */
@Controller('v1')
export class ExportsController {
  constructor(
    private readonly rpc: RpcTransport,
    @Inject(APP_URL) private readonly appUrl: string | undefined,
  ) {}

  @Documented({
    client: { sdk: 'runs.createExport' },
    summary: 'Exports a frozen table.',
    description: 'The file is ready when this answers. It is kept for 30 days.',
    answers: {
      201: { description: 'The export.', body: Export, headers: { Location: 'Path of the file.' } },
    },
    errors: ['table_not_found'],
    example: { table_key: 'people', format: 'csv' },
  })
  @Post('runs/:id/exports')
  @JsonRoute({ body: BODIES.ordinary })
  async createExport(
    @RequestCtx() ctx: Ctx,
    @IdParam('run') runId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateExportRequest)) body: CreateExportRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const made = await this.rpc.call(ctx, TABLES_RPC.createExport, {
      runId,
      tableKey: body.table_key,
      format: body.format,
      idempotencyKey,
    });
    reply.header('Location', `/v1/exports/${made.id}`);
    return made.json;
  }

  @Documented({
    client: { sdk: 'tables.createExport', command: 'tables export {id} -o table.csv' },
    summary: 'Exports a live table.',
    description:
      'The current rows, or those of a view, with all columns or with chosen columns and headings. The file is ready when this answers. It is kept for 30 days.',
    answers: {
      201: { description: 'The export.', body: Export, headers: { Location: 'Path of the file.' } },
    },
    errors: ['not_found'],
    example: { format: 'csv', columns: [{ key: 'full_name', name: 'Name' }, { key: 'email' }] },
  })
  @Post('tables/:id/exports')
  @JsonRoute({ body: BODIES.ordinary })
  async createTableExport(
    @RequestCtx() ctx: Ctx,
    @IdParam('tbl') tableId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateTableExportRequest)) body: CreateTableExportRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const made = await this.rpc.call(ctx, TABLES_RPC.createTableExport, { tableId, body, idempotencyKey });
    reply.header('Location', `/v1/exports/${made.id}`);
    return made.json;
  }

  @Documented({
    client: { sdk: 'exports.createLink', command: 'tables export {id} --link' },
    isRepeatable: true,
    summary: 'Creates a link that opens an export without an API key.',
    description:
      'For spreadsheets (`=IMPORTDATA("…")`) and other clients that send no API key. Anyone with the link can read the file until the link expires; it cannot be revoked.',
    answers: { 201: { description: 'The link.', body: ExportLink } },
    example: {},
  })
  @Post('exports/:id/links')
  @JsonRoute({ body: BODIES.ordinary })
  async createExportLink(
    @RequestCtx() ctx: Ctx,
    @IdParam('exp') exportId: string,
    @Body(bodyOf(CreateExportLinkRequest)) { expires_in_hours: hours = LINK_HOURS }: CreateExportLinkRequest,
    @Req() request: FastifyRequest,
  ): Promise<string> {
    const link = await this.rpc.call(ctx, TABLES_RPC.createExportLink, { exportId, hours });
    return jsonText(ExportLink, {
      url: `${baseUrlOf(request, this.appUrl)}/v1/links/${link.token}`,
      expires_at: link.expiresAt,
    });
  }

  @Documented({
    isInternal: true,
    summary: 'Downloads an export by its link.',
    description: 'Resumable with Range and If-Range.',
    answers: FILE_ANSWERS,
    errors: ['invalid_request', 'export_not_found'],
    path: { token: 'The token at the end of a link.' },
  })
  @Get('links/:token')
  @Policy({ access: 'open' })
  async openExportLink(
    @RequestCtx() ctx: Ctx,
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { exportId, ...tenant } = await this.rpc.call(ctx, TABLES_RPC.openExportLink, { token });
    await this.sendExport({ ...ctx, ...tenant }, exportId, request, reply);
  }

  /** Serves the file. A broken download can be resumed with Range and If-Range. */
  @Documented({
    client: { sdk: 'exports.download', command: 'exports get {id} -o table.csv' },
    summary: 'Downloads an export.',
    description: 'Resumable with Range and If-Range.',
    answers: FILE_ANSWERS,
  })
  @Get('exports/:id')
  @Policy({})
  async downloadExport(
    @RequestCtx() ctx: Ctx,
    @IdParam('exp') exportId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sendExport(ctx, exportId, request, reply);
  }

  private async sendExport(
    ctx: Ctx,
    exportId: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const head = await this.rpc.call(ctx, TABLES_RPC.getExport, { exportId });
    if (isTagKnown(request.headers['if-none-match'], head.etag)) {
      return void reply.code(304).header('ETag', head.etag).send();
    }
    const range = wantedRange(request, head);
    const bytes = range ?? { from: 0, to: head.byteLength - 1 };
    // Before the headers of a file are set, so that a failure is answered as an error.
    const body = request.method === 'HEAD' ? Readable.from([]) : await this.openBytes(ctx, head.id, bytes);
    if (range) reply.code(206).header('Content-Range', `bytes ${range.from}-${range.to}/${head.byteLength}`);
    reply.headers({
      'Accept-Ranges': 'bytes',
      'Content-Type': head.contentType,
      'Content-Length': bytes.to - bytes.from + 1,
      'Content-Disposition': contentDisposition(head.filename),
      ETag: head.etag,
    });
    reply.send(body);
  }

  /** Reads the first chunk before the answer begins, so that a failure can still be answered as an error. */
  private async openBytes(ctx: Ctx, exportId: string, { from, to }: ByteRange): Promise<Readable> {
    const { rpc } = this;
    const read = async (offset: number): Promise<Buffer> => {
      const length = Math.min(CHUNK_BYTES, to + 1 - offset);
      const { base64 } = await rpc.call(ctx, TABLES_RPC.readExport, { exportId, offset, length });
      const chunk = Buffer.from(base64, 'base64');
      if (chunk.length === 0) throw new Error(`Export ${exportId} ends at ${offset}, before ${to + 1}.`);
      return chunk;
    };
    const first = from > to ? null : await read(from);
    // A high-water mark of one byte: the next chunk is read when the client has taken the last one.
    return Readable.from(readChunks(), { objectMode: false, highWaterMark: 1 });

    async function* readChunks(): AsyncGenerator<Buffer> {
      let offset = from;
      for (let chunk = first; chunk; chunk = offset > to ? null : await read(offset)) {
        offset += chunk.length;
        yield chunk;
      }
    }
  }
}

function wantedRange({ headers }: FastifyRequest, { etag, byteLength }: ExportHead): ByteRange | null {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  const range = byteRangeOf(headers.range, byteLength);
  if (range !== 'unsatisfiable') return range;
  throw new AppError('invalid_request', `The export has ${byteLength} bytes.`, {
    status: 416,
    headers: { 'Content-Range': `bytes */${byteLength}` },
  });
}

/** ASCII for old clients, UTF-8 for all others (RFC 6266, section 5). */
function contentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const utf8 = encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`;
}
