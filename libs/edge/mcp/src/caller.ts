import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { ClientSession } from './session/client-sessions.js';
import type { Caller } from './tool-call.js';

/** Returns a caller in the SDK's form: it knows tokens only, and passes on whatever is with them. */
export function authOf(caller: Caller, session: ClientSession | null = null): AuthInfo {
  return { token: '', clientId: caller.ctx.keyId ?? '', scopes: [], extra: { caller, session } };
}

/** @returns who sent the request. @throws Error for one that did not come through {@link authOf} */
export function callerOf(context: Pick<ServerContext, 'http'>): Caller {
  return partsOf(context.http?.authInfo).caller;
}

/** @returns what the client of 2025-11-25 has said that it may be asked in this call; null where it has no session */
export function sessionOf(context: Pick<ServerContext, 'http'>): ClientSession | null {
  return partsOf(context.http?.authInfo).session;
}

/** @returns what {@link authOf} was given. @throws Error for a request that came past it */
export function partsOf(auth: AuthInfo | undefined): { caller: Caller; session: ClientSession | null } {
  if (auth?.extra?.caller === undefined) throw new Error('The request came past the gate.');
  return auth.extra as { caller: Caller; session: ClientSession | null };
}
