/** Modes of an organisation: `live` works on real data and costs money; `test` works on the sandbox with test credits. */
export type Mode = 'live' | 'test';

/** Tenant and request on whose behalf an operation runs. First parameter of every service method. */
export interface Ctx {
  /** Organisation whose data may be accessed. Empty only for work that belongs to no tenant (admin, reapers). */
  readonly orgId: string;
  /** API key of the request; null if there is none. */
  readonly keyId: string | null;
  /** `test` keys spend the test balance and always use the sandbox. */
  readonly mode: Mode;
  readonly requestId: string;
  /** Address of the client, as far as proxies are trusted; for the audit log. Absent if there was no request. */
  readonly address?: string;
  /** Trace context of the caller (W3C), if calls are traced; the receiving process continues that trace. */
  readonly traceparent?: string;
  /** Milliseconds that were left for the response when this context was created; `null` for background work. */
  readonly timeoutMs: number | null;
}

/** @returns a context for work that was not started by a request */
export function systemCtx(requestId: string, orgId = ''): Ctx {
  return { orgId, keyId: null, mode: 'live', requestId, timeoutMs: null };
}
