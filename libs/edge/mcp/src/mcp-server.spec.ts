import { boundedWaits } from './tool-call.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { HeldReads, type Ctx } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import { Confirmation } from './confirmation.js';
import { mcpEndpoint } from './mcp-server.js';
import { PageCursors } from './page-cursors.js';
import { ClientSessions } from './session/client-sessions.js';
import { PendingElicitations } from './session/pending-elicitations.js';
import { TOOLS } from './tool-catalogue.js';
import { ToolSet } from './tool-set.js';

const SECRETS = ['a secret of the spec, 32 characters and more'] as const;
const CTX: Ctx = { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'r', timeoutMs: null };

/** Records the calls for which a session was read. */
class WatchedSessions extends ClientSessions {
  opened = 0;
  override openSession(ctx: Ctx, id: string) {
    this.opened += 1;
    return super.openSession(ctx, id);
  }
}

describe('the MCP endpoint', () => {
  it('opens a session only for tools that may ask for approval', async () => {
    const sessions = new WatchedSessions(SECRETS);
    const questions = new PendingElicitations(SECRETS, null, () => undefined);
    const endpoint = mcpEndpoint(
      {
        rpc: { call: async () => '{"items":[],"next_offset":null}' } as unknown as RpcTransport,
        heldReads: new HeldReads(),
        cursors: new PageCursors(SECRETS),
        waits: boundedWaits(),
        confirmation: new Confirmation(SECRETS),
        tools: new ToolSet(TOOLS),
        onFailure: () => undefined,
        onProtocolFault: () => undefined,
      },
      { sessions, questions },
    );
    const server = createServer((request, response) => {
      void (async () => {
        const body = JSON.parse(String(Buffer.concat(await request.toArray()))) as unknown;
        await endpoint.answer(
          { ctx: CTX, baseUrl: 'https://quarry.example', admit: async () => () => undefined },
          request,
          response,
          body,
        );
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const send = async (method: string, params: object, headers: Record<string, string> = {}) => {
      const { port } = server.address() as AddressInfo;
      return fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          connection: 'close',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    };
    try {
      const began = await send('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'spec', version: '1' },
      });
      const session = { 'mcp-session-id': began.headers.get('mcp-session-id')! };
      await began.text();
      const spending = new Set(TOOLS.filter(({ spend }) => spend !== null).map(({ name }) => name));
      for (const { name } of TOOLS) {
        sessions.opened = 0;
        await (await send('tools/call', { name, arguments: {} }, session)).text();
        expect([name, sessions.opened]).toEqual([name, spending.has(name) ? 1 : 0]);
      }
      await (await send('tools/call', { name: 'no_tool', arguments: {} }, session)).text();
      expect(sessions.opened).toBe(0);
    } finally {
      endpoint.close();
      server.close();
      server.closeAllConnections();
    }
  });

  it('describes its tools without type arrays, which some clients cannot read', () => {
    const listed = new ToolSet(TOOLS).list.tools.filter((tool) => JSON.stringify(tool).includes('"type":['));
    expect(listed.map(({ name }) => name)).toEqual([]);
  });
});
