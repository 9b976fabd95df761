/** The two worlds of an organisation: what is real and costs money, and play money over a fictional world. */
export type Mode = 'live' | 'test';

/** The tenant and the request on whose behalf something happens. First parameter of every service method. */
export interface Ctx {
  /** Organisation whose data may be touched. Empty only for work that belongs to no tenant (admin, reapers). */
  readonly orgId: string;
  /** API key that asked, when there was one. */
  readonly keyId: string | null;
  /** `test` keys spend the test balance and always meet the sandbox. */
  readonly mode: Mode;
  readonly requestId: string;
  /** Address of the client, as far as proxies are trusted; for the audit log. Absent where there was no request. */
  readonly address?: string;
  /** Trace context of the caller (W3C), while calls are traced; the answering process continues that trace. */
  readonly traceparent?: string;
  /** Milliseconds left for the answer at the time when this context was made; `null` for background work. */
  readonly timeoutMs: number | null;
}

/** @returns a context for work that no request asked for. */
export function systemCtx(requestId: string, orgId = ''): Ctx {
  return { orgId, keyId: null, mode: 'live', requestId, timeoutMs: null };
}
