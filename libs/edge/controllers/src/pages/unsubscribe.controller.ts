import { Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { OUTREACH_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import { BODIES, Policy, RequestCtx } from '@quarry/http';
import { unsubscribedPage, unsubscribePage, UNSUBSCRIBE_POLICY } from './unsubscribe-page.js';

const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
const HTML = 'text/html; charset=utf-8';

/**
 * Unsubscribes the recipient of a message from all sequences with one click (RFC 8058). The link alone identifies them: no key,
 * no cookie, no redirect. A GET changes nothing, since mail scanners follow links. Not a part of the API.
 */
@Controller('u')
export class UnsubscribeController {
  constructor(private readonly rpc: RpcTransport) {}

  @Get(':token')
  @Policy({ access: 'open', addressClass: 'unsubscribe', query: 'validated' })
  @Header('Content-Type', HTML)
  @Header('Content-Security-Policy', UNSUBSCRIBE_POLICY)
  @Header('Referrer-Policy', 'no-referrer')
  async showPage(@RequestCtx() ctx: Ctx, @Param('token') token: string): Promise<string> {
    const found = TOKEN.test(token)
      ? await this.rpc.call(ctx, OUTREACH_RPC.readUnsubscribe, { token })
      : null;
    return unsubscribePage(found);
  }

  @Post(':token')
  @HttpCode(200)
  @Policy({ access: 'open', addressClass: 'unsubscribe', query: 'validated', body: BODIES.ignored })
  @Header('Content-Type', HTML)
  @Header('Content-Security-Policy', UNSUBSCRIBE_POLICY)
  @Header('Referrer-Policy', 'no-referrer')
  async unsubscribeContact(@RequestCtx() ctx: Ctx, @Param('token') token: string): Promise<string> {
    const isKnown = TOKEN.test(token) && (await this.rpc.call(ctx, OUTREACH_RPC.unsubscribe, { token }));
    return isKnown ? unsubscribedPage() : unsubscribePage(null);
  }
}
