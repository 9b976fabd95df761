import { boundedWaits } from './tool-call.js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  PROTOCOL_VERSION_META_KEY,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AppError } from '@quarry/error-codes';
import { HeldReads, type Ctx } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import { authOf } from './caller.js';
import { Confirmation } from './confirmation.js';
import { toolServer } from './mcp-server.js';
import { PageCursors } from './page-cursors.js';
import { TOOLS } from './tool-catalogue.js';
import { ToolSet } from './tool-set.js';

const REVISION = '2026-07-28';
const SECRETS = ['a secret of the spec, 32 characters and more'] as const;
const OTHER_SECRETS = ['another secret, of 32 characters and more too'] as const;
const CTX: Ctx = { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'r', timeoutMs: null };
const line = (first_name: string) => ({ first_name, last_name: 'Lovelace', domain: 'analytical.example' });
/** Six jobs of one credit each: more than may be spent without a confirmation. */
const LINES = Array.from({ length: 6 }, (_, i) => line(`Ada${i}`));
const ARGS = { service: 'getEmail', inputs: LINES };
const TOOL = 'service_batch_execute';
const APPROVED = { spend: { action: 'accept', content: { approve: true } } };

interface Message {
  result?: {
    resultType?: string;
    isError?: boolean;
    inputRequests?: { spend: { params: { message: string } } };
    requestState?: string;
    _meta?: Record<string, unknown>;
  };
  error?: { code: number };
}

/** Estimate of the service for the jobs. */
let estimate: number;
/** Idempotency keys of the batches that were started. */
let started: unknown[];
beforeEach(() => {
  estimate = LINES.length;
  started = [];
});
afterEach(() => void jest.restoreAllMocks());

const rpc = {
  call: async (_ctx: unknown, { pattern }: { pattern: string }, request: Record<string, unknown>) => {
    if (pattern === 'services.credits.estimate') return JSON.stringify({ max: estimate });
    if (pattern === 'services.batches.create') started.push(request.idempotencyKey);
    if (pattern === 'tables.exclusions.delete') {
      if (!request.dryRun) started.push('removed');
      return '{"deleted":1,"not_found":0}';
    }
    // Only the fact that it was called matters.
    throw new AppError('not_found', 'There is nothing');
  },
} as unknown as RpcTransport;

/** Sends a call of protocol version 2026-07-28 to the real tools. */
async function send(
  more: { requestState?: string; inputResponses?: unknown } = {},
  {
    args = ARGS as object,
    ctx = {} as Partial<Ctx>,
    secrets = SECRETS as readonly [string, ...string[]],
    canAsk = true,
    tool = TOOL,
  } = {},
): Promise<Message> {
  const handler = createMcpHandler(() =>
    toolServer({
      rpc,
      heldReads: new HeldReads(),
      cursors: new PageCursors(secrets),
      waits: boundedWaits(),
      confirmation: new Confirmation(secrets),
      tools: new ToolSet(TOOLS),
      onFailure: (error) => {
        throw error;
      },
      onProtocolFault: () => undefined,
    }),
  );
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: REVISION,
    [CLIENT_CAPABILITIES_META_KEY]: canAsk ? { elicitation: {} } : {},
  };
  const params = { name: tool, arguments: args, ...more, _meta };
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const caller = {
    ctx: { ...CTX, ...ctx },
    baseUrl: 'https://quarry.example',
    admit: async () => () => undefined,
  };
  const answer = await handler.fetch(request, { authInfo: authOf(caller) });
  return (await answer.json()) as Message;
}

/** @returns the state of a form that a call has requested */
async function firstState(): Promise<string> {
  return (await send()).result!.requestState!;
}

describe('a call that removes entries from an exclusion list', () => {
  const call = {
    tool: 'table_exclusions_update',
    args: { kind: 'companies', remove: [{ domain: 'a.example' }] },
  };

  it('asks before it removes anything, and removes after the user agrees', async () => {
    const { result } = await send({}, call);
    expect(result!.inputRequests!.spend.params.message).toBe(
      'May I remove 1 entry from the list of excluded companies?',
    );
    const requestState = result!.requestState!;
    const declined = await send({ requestState, inputResponses: { spend: { action: 'decline' } } }, call);
    expect(declined.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did not agree to remove 1 entry from the list') }],
    });
    expect(started).toEqual([]);
    const agreed = await send({ requestState, inputResponses: APPROVED }, call);
    expect([agreed.result!.isError, started]).toEqual([undefined, ['removed']]);
  });

  it('runs at once if nobody can be asked, and a dry run asks nothing', async () => {
    await send({}, { ...call, args: { ...call.args, dry_run: true } });
    expect(started).toEqual([]);
    await send({}, { ...call, canAsk: false });
    expect(started).toEqual(['removed']);
  });
});

describe('a call that can cost more than five credits', () => {
  it('asks before it spends anything, and runs once if the approval is sent twice', async () => {
    const { result } = await send();
    expect(result!.inputRequests!.spend.params.message).toBe('Spend up to 6 credits for 6 × getEmail?');
    expect(started).toEqual([]);
    const again = { requestState: result!.requestState!, inputResponses: APPROVED };
    await send(again);
    await send(again);
    expect(started).toEqual([expect.stringMatching(/^mcp-/), started[0]]);
  });

  it('is refused if nobody can be asked, with the arguments that confirm it', async () => {
    const { result } = await send({}, { canAsk: false });
    expect(result).toMatchObject({
      isError: true,
      _meta: {
        'quarry/error': {
          code: 'confirmation_required',
          details: { retry: { name: TOOL, arguments: { ...ARGS, max_credits: 6 } } },
        },
      },
    });
    expect(started).toEqual([]);
  });

  it('runs within max_credits, and is refused above them', async () => {
    expect((await send({}, { args: { ...ARGS, max_credits: 5.5 } })).result).toMatchObject({
      _meta: { 'quarry/error': { code: 'confirmation_required' } },
    });
    expect(started).toEqual([]);
    await send({}, { args: { ...ARGS, max_credits: 6 } });
    expect(started).toEqual([null]);
  });

  it.each([
    ['declined', { spend: { action: 'decline' } }],
    ['not approved', { spend: { action: 'accept', content: { approve: false } } }],
    ['something else', { spend: { action: 'accept', content: { approve: 'yes' } } }],
  ])('does not run if the form is returned %s', async (_, inputResponses) => {
    const { result } = await send({ requestState: await firstState(), inputResponses });
    expect(result).toMatchObject({ isError: true });
    expect(started).toEqual([]);
  });

  it('respects an earlier answer even if the call has become cheap', async () => {
    const [declined, approved] = [await firstState(), await firstState()];
    await send({ requestState: approved, inputResponses: APPROVED });
    estimate = 1;
    const no = await send({ requestState: declined, inputResponses: { spend: { action: 'decline' } } });
    expect(no.result).toMatchObject({ isError: true });
    await send({ requestState: approved, inputResponses: APPROVED });
    expect(started).toEqual([expect.stringMatching(/^mcp-/), started[0]]);
  });

  it('asks again if a consent comes without the state of its form', async () => {
    expect((await send({ inputResponses: APPROVED })).result!.resultType).toBe('input_required');
    expect(started).toEqual([]);
  });
});

describe('a consent', () => {
  const refused = { error: { code: -32602 } };

  it('that was tampered with is refused', async () => {
    const state = await firstState();
    const [, body, mac] = state.split('.');
    const sealed = JSON.parse(Buffer.from(body!, 'base64url').toString()) as { p: object };
    const forged = { ...sealed, p: { ...sealed.p, worstCase: 1000 } };
    for (const requestState of [
      `v1.${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${mac}`,
      `v1.${body}.${mac!.startsWith('A') ? 'B' : 'A'}${mac!.slice(1)}`,
      `v1.${body}.`,
      body!,
      '',
    ])
      expect(await send({ requestState, inputResponses: APPROVED })).toMatchObject(refused);
    expect(started).toEqual([]);
  });

  it.each([
    ['organisation', { orgId: 'org_2' }],
    ['mode', { mode: 'test' }],
    ['key', { keyId: 'key_2' }],
  ] as const)('of another %s is refused', async (_, ctx) => {
    const requestState = await firstState();
    expect(await send({ requestState, inputResponses: APPROVED }, { ctx })).toMatchObject(refused);
    expect(started).toEqual([]);
  });

  it('signed with another secret is refused, and with a retired secret accepted', async () => {
    const again = { requestState: await firstState(), inputResponses: APPROVED };
    expect(await send(again, { secrets: OTHER_SECRETS })).toMatchObject(refused);
    expect(started).toEqual([]);
    await send(again, { secrets: [...OTHER_SECRETS, ...SECRETS] });
    expect(started).toHaveLength(1);
  });

  it('is valid for ten minutes', async () => {
    const askedAtMs = 1_800_000_000_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(askedAtMs);
    const again = { requestState: await firstState(), inputResponses: APPROVED };
    now.mockReturnValue(askedAtMs + 601_000);
    expect(await send(again)).toMatchObject(refused);
    expect(started).toEqual([]);
    now.mockReturnValue(askedAtMs + 600_000);
    await send(again);
    expect(started).toHaveLength(1);
  });

  it('to other arguments, or to less than it costs now, is requested again', async () => {
    const again = { requestState: await firstState(), inputResponses: APPROVED };
    const args = { ...ARGS, inputs: LINES.with(0, line('Bob')) };
    expect((await send(again, { args })).result!.resultType).toBe('input_required');
    estimate = 6.5;
    expect((await send(again)).result!.inputRequests!.spend.params.message).toContain('6.5 credits');
    expect(started).toEqual([]);
  });

  it('to another tool is requested again', async () => {
    const confirmation = new Confirmation(SECRETS);
    const spend = { worstCase: 6, what: 'spec', estimate: {} };
    const context = (state: unknown) =>
      ({
        http: {
          authInfo: authOf({
            ctx: CTX,
            baseUrl: 'https://quarry.example',
            admit: async () => () => undefined,
          }),
        },
        mcpReq: {
          envelope: { [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} } },
          inputResponses: APPROVED,
          requestState: () => state,
        },
      }) as unknown as ServerContext;
    const state = await confirmation.verify(await firstState(), context(undefined));
    const confirmed = async (name: string) => {
      const tool = TOOLS.find((each) => each.name === name)!;
      return (await confirmation.confirmSpend(tool, ARGS, spend, context(state))).kind;
    };
    // Currently no two tools have the same arguments.
    expect([await confirmed(TOOL), await confirmed('service_execute')]).toEqual(['allowed', 'asks']);
  });
});
