import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './tool-call.js';

/** The caller as the SDK carries it beside a request: it knows tokens only, and passes on whatever is with them. */
export function authOf(caller: Caller): AuthInfo {
  return { token: '', clientId: caller.ctx.keyId ?? '', scopes: [], extra: { caller } };
}

/** @returns who sent the request. @throws Error for one that did not come through {@link authOf} */
export function callerOf(context: Pick<ServerContext, 'http'>): Caller {
  const caller = context.http?.authInfo?.extra?.caller;
  if (caller === undefined) throw new Error('The request came past the gate.');
  return caller as Caller;
}
