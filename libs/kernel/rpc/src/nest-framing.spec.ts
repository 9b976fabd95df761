import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Server, ServerTCP } from '@nestjs/microservices';
import { LocalRpcTransport } from './local-rpc.transport.js';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
};
const installed = JSON.parse(
  readFileSync(new URL('package.json', import.meta.resolve('@nestjs/microservices')), 'utf8'),
) as { version: string };

/**
 * The parts of Nest's servers that our transports use or replace. When one of these tests fails after an update, compare Nest's
 * `server.js` and `server-tcp.js` with `declared-calls.server.ts` and `tcp-rpc.server.ts` before changing the test.
 */
describe('the Nest server that ours extends', () => {
  it('has the version that we reviewed', () => {
    expect(installed.version).toBe('12.1.1');
    expect(manifest.dependencies['@nestjs/microservices']).toBe(installed.version);
  });

  it('keeps handlers in a map by their declared pattern, and calls them with payload and context', async () => {
    const server = new LocalRpcTransport([{ one: { pattern: 'runs.one', effect: 'read', timeoutMs: 1 } }]);
    const handler = (...words: unknown[]) => Promise.resolve(words);
    server.addHandler('runs.one', handler);
    expect([...server.getHandlers()]).toEqual([['runs.one', handler]]);
    expect(await server.getHandlers().get('runs.one')!('payload', 'context')).toEqual(['payload', 'context']);
  });

  it('replaces a handler with a second one, which ours refuses', () => {
    class Plain extends Server {
      override listen(): void {}
      override close(): void {}
      override on(): void {}
      override unwrap<T>(): T {
        return undefined as T;
      }
    }
    const plain = new Plain();
    const [first, second] = [() => Promise.resolve(1), () => Promise.resolve(2)];
    plain.addHandler('runs.one', first);
    plain.addHandler('runs.one', second);
    expect(plain.getHandlers().get('runs.one')).toBe(second);
  });

  // Our server frames, authenticates and limits incoming data itself; Nest's TCP server would do so in these methods.
  it('has exactly the methods that ours overrides or relies on', () => {
    const own = Object.getOwnPropertyNames(ServerTCP.prototype).sort();
    expect(own).toEqual([
      'bindHandler',
      'close',
      'closeOpenSockets',
      'constructor',
      'getSocketInstance',
      'handleClose',
      'handleMessage',
      'init',
      'listen',
      'on',
      'registerCloseListener',
      'registerErrorListener',
      'registerListeningListener',
      'trackOpenSocket',
      'unwrap',
    ]);
  });
});
