import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { ClientSession } from './session/client-sessions.js';
import type { Caller } from './tool-call.js';

/** Returns a caller in the SDK's form, which only supports tokens but passes on additional data. */
export function authOf(caller: Caller, session: ClientSession | null = null): AuthInfo {
  return { token: '', clientId: caller.ctx.keyId ?? '', scopes: [], extra: { caller, session } };
}

/** @returns the caller of a request. @throws Error for a request without {@link authOf} */
export function callerOf(context: Pick<ServerContext, 'http'>): Caller {
  return partsOf(context.http?.authInfo).caller;
}

/** @returns what a client of protocol version 2025-11-25 may be asked during this call; null without a session */
export function sessionOf(context: Pick<ServerContext, 'http'>): ClientSession | null {
  return partsOf(context.http?.authInfo).session;
}

/** @returns the arguments of {@link authOf}. @throws Error for a request without it */
export function partsOf(auth: AuthInfo | undefined): { caller: Caller; session: ClientSession | null } {
  if (auth?.extra?.caller === undefined) throw new Error('The request came past the gate.');
  return auth.extra as { caller: Caller; session: ClientSession | null };
}
