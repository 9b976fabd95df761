import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Controller,
  Module,
  UseGuards,
  type CanActivate,
  type INestMicroservice,
  type Provider,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, DiscoveryModule, NestFactory } from '@nestjs/core';
import { AppError } from '@quarry/error-codes';
import { systemCtx, type Ctx } from '@quarry/app';
import { Answers } from './answers.decorator.js';
import type { DeclaredCalls } from './declared-calls.server.js';
import { LocalRpcTransport } from './local-rpc.transport.js';
import type { RpcCall } from './rpc-transport.js';
import { serve, SIGNED } from './rpc.fixture.js';
import { TcpRpcServer } from './tcp-rpc.server.js';
import { TcpRpcTransport } from './tcp-rpc.transport.js';

const API = {
  echo: { pattern: 'runs.echo', effect: 'read', timeoutMs: 2000 } as RpcCall<
    { text: string },
    { text: string; orgId: string }
  >,
  refuse: { pattern: 'runs.refuse', effect: 'write', timeoutMs: 2000 } as RpcCall<null, null>,
  fail: { pattern: 'runs.fail', effect: 'read', timeoutMs: 2000 } as RpcCall<null, null>,
};
const ctx: Ctx = systemCtx('req_1', 'org_a');

@Controller()
class EchoController {
  @Answers(API.echo)
  async echo(ctx: Ctx, { text }: { text: string }): Promise<{ text: string; orgId: string }> {
    return { text, orgId: ctx.orgId };
  }

  @Answers(API.refuse)
  async refuse(): Promise<null> {
    throw new AppError('run_not_found', 'Run not found.');
  }

  @Answers(API.fail)
  async fail(): Promise<null> {
    throw new Error('secret of the database');
  }
}

/** Controller with a second handler for a call that the other controller handles. */
@Controller()
class SecondController {
  @Answers(API.refuse)
  async refuse(): Promise<null> {
    return null;
  }
}

const apps: INestMicroservice[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function answering<Server extends LocalRpcTransport | TcpRpcServer>(
  strategy: Server,
  controllers: Type[] = [EchoController],
  { direct = true, providers = [] }: { direct?: boolean; providers?: Provider[] } = {},
): Promise<Server> {
  class SpecModule {}
  Module({ controllers, providers, imports: [DiscoveryModule] })(SpecModule);
  const app = await NestFactory.createMicroservice(SpecModule, {
    strategy,
    logger: false,
    abortOnError: false,
  });
  apps.push(app);
  if (direct) strategy.callDirectly(app);
  await app.listen();
  return strategy;
}

describe.each([
  ['through Nest', false],
  ['directly', true],
])('a controller that answers declared calls %s', (_, direct) => {
  it('receives context and request, in the same process and over TCP', async () => {
    const local = await answering(new LocalRpcTransport([API]), [EchoController], { direct });
    expect(await local.call(ctx, API.echo, { text: 'x' })).toEqual({ text: 'x', orgId: 'org_a' });
    const { port } = await serve({ api: {}, handlers: {} }).then(async ({ server, port }) => {
      await server.close();
      return { port };
    });
    await answering(
      new TcpRpcServer({
        host: '127.0.0.1',
        port,
        apis: [API],
        security: SIGNED,
        onUnexpectedError: () => undefined,
      }),
      [EchoController],
      { direct },
    );
    const remote = new TcpRpcTransport({
      upstreams: { 'runs.': `tcp://127.0.0.1:${port}` },
      security: SIGNED,
    });
    expect(await remote.call(ctx, API.echo, { text: 'ä' })).toEqual({ text: 'ä', orgId: 'org_a' });
    await expect(remote.call(ctx, API.refuse, null)).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(remote.call(ctx, API.fail, null)).rejects.toMatchObject({
      message: 'An unexpected error occurred.',
    });
    await remote.close();
  });

  it('passes on errors as thrown, whatever Nest does with them', async () => {
    const local = await answering(new LocalRpcTransport([API]), [EchoController], { direct });
    await expect(local.call(ctx, API.refuse, null)).rejects.toMatchObject({
      code: 'run_not_found',
      status: 404,
    });
    await expect(local.call(ctx, API.fail, null)).rejects.toThrow('secret of the database');
  });
});

describe('the direct way to a handler', () => {
  it("skips Nest's wrapping", async () => {
    const local = await answering(new LocalRpcTransport([API]));
    for (const pattern of local.getHandlers().keys())
      local.getHandlers().set(pattern, () => Promise.reject(new Error('through Nest')));
    expect(await local.call(ctx, API.echo, { text: 'x' })).toEqual({ text: 'x', orgId: 'org_a' });
  });

  it('is not used past a guard of the handler, its controller or the application', async () => {
    class ClosedGuard implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    class GuardedController extends EchoController {}
    Controller()(GuardedController);
    UseGuards(ClosedGuard)(GuardedController);
    const guarded = await answering(new LocalRpcTransport([API]), [GuardedController]);
    await expect(guarded.call(ctx, API.echo, { text: 'x' })).rejects.toThrow('Forbidden resource');
    const app = await answering(new LocalRpcTransport([API]), [EchoController], {
      providers: [{ provide: APP_GUARD, useClass: ClosedGuard }],
    });
    await expect(app.call(ctx, API.echo, { text: 'x' })).rejects.toThrow('Forbidden resource');
  });
});

describe('declared calls of a process', () => {
  it('prevent the start if a handler is missing, duplicate or undeclared', async () => {
    const more: DeclaredCalls = { ...API, late: { ...API.refuse, pattern: 'runs.late' } };
    await expect(answering(new LocalRpcTransport([more]))).rejects.toThrow(
      'The call runs.late has no handler.',
    );
    await expect(answering(new LocalRpcTransport([API]), [EchoController, SecondController])).rejects.toThrow(
      'The call runs.refuse has two handlers.',
    );
    await expect(answering(new LocalRpcTransport([{ echo: API.echo }]))).rejects.toThrow(
      'The call runs.refuse is none that this process answers.',
    );
  });

  it('do not compile with another request or answer type than declared', () => {
    class Wrong {
      // @ts-expect-error -- the request of the call has a text, not a number
      @Answers(API.echo)
      async echo(ctx: Ctx, { text }: { text: number }): Promise<{ text: string; orgId: string }> {
        return { text: String(text), orgId: ctx.orgId };
      }

      // @ts-expect-error -- the answer of the call has an organisation too
      @Answers(API.echo)
      async half(_ctx: Ctx, { text }: { text: string }): Promise<{ text: string }> {
        return { text };
      }
    }
    expect(Wrong).toBeDefined();
  });
});
