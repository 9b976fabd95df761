import { AppError } from '@quarry/error-codes';

/** The prefix binds the cookie to this host: no other host, and no page without TLS, can set it. */
const NAME = '__Host-quarry';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
/** 14 days. The session itself may end sooner. Source: docs/contract.md#10-the-web-application. */
const MAX_AGE_SECONDS = 14 * 24 * 3600;

/** @returns the session token of a Cookie header; null when there is none, or more than one */
export function sessionTokenOf(header: string | undefined): string | null {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  return found.length === 1 && TOKEN.test(found[0]!) ? found[0]! : null;
}

/** @returns the Set-Cookie header of a new session */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${ATTRIBUTES}`;
}

/** @returns the Set-Cookie header that deletes the session cookie */
export function noSessionCookie(): string {
  return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
}

/** @returns the refusal of a request without an open session */
export function noSession(): AppError {
  return new AppError('not_authenticated', 'Sign in first: this needs an open session.', {
    headers: { 'WWW-Authenticate': `Cookie realm="quarry", cookie-name="${NAME}"` },
  });
}
