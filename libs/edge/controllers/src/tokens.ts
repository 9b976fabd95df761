// Injection tokens of values that the application provides to controllers.
/** Seconds that `POST /v1/go/run` is held. */
export const GO_SYNC_WAIT_SECONDS = Symbol('quarry:go-held-seconds');
/** Maximum number of failed sign-ins, by account and by address. */
export const SIGN_IN_ATTEMPTS = Symbol('quarry:sign-in-attempts');
/** Address of the web application. */
export const APP_URL = Symbol('quarry:app-url');
export const READINESS = Symbol('quarry:readiness');
export const OPEN_API = Symbol('quarry:open-api');
export const IS_STUCK = Symbol('quarry:is-stuck');
export const MCP_ENDPOINT = Symbol('quarry:mcp-endpoint');
export const HTTP_API_OPTIONS = Symbol('quarry:http-api-options');

/** Checks by name; each rejects while its part cannot serve. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<unknown>>>;
