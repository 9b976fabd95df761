import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError, ERROR_CODES, type ErrorCode, type ErrorDetail } from '@quarry/error-codes';
import { cutText, countFitting } from './answer-size.js';

/** Metadata key of the error code of a failed result. Source: docs/contract.md#8-tools-for-agents. */
const ERROR_META = 'quarry/error';

/** Only code that is specific to tools: the call may cost more than it was permitted to. */
export const CONFIRMATION_REQUIRED = 'confirmation_required';

/** Maximum length of the text of a refusal: enough for the first of many faults. */
const TEXT_CHARACTERS_MAX = 4_000;

/** Error of a failed result, for programs. */
export interface ToolError {
  code: ErrorCode | typeof CONFIRMATION_REQUIRED;
  /** True when the same call can succeed later. */
  retryable: boolean;
  /** Seconds. */
  retry_after?: number;
  details?: readonly ErrorDetail[] | Readonly<Record<string, unknown>>;
}

/** Next step for a model after each error; the type makes the record complete. */
const NEXT: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the named arguments and call again.',
  validation_error:
    'Correct the named arguments; service_discover with the name of the service shows its input.',
  service_not_async: 'Call service_execute with this service instead.',
  invalid_cursor: 'Call again without a cursor to begin at the first page.',
  workspace_mismatch: 'Omit workspace_id, or use the workspace of the conversation.',
  not_authenticated: 'Ask the user for a valid API key.',
  insufficient_credits: 'Ask the user to top up, or ask for less; service_credits_get shows the balance.',
  usage_limit: 'Ask the user to raise the spend cap, or wait until it resets.',
  not_found: 'Check the id.',
  run_not_found: 'Check run_id: retriever_build_list_start returns it.',
  table_not_found: 'Check the id or the key of the table; table_list lists tables.',
  workspace_not_found: 'Check workspace_id, or omit it.',
  conversation_not_found: 'Check conversation_id, or omit it.',
  output_not_found: 'Read the rows of the tables of the run instead.',
  export_not_found: 'Create the export again with table_export.',
  idempotency_conflict: 'Use a new idempotency_key for a different call, or repeat the first call exactly.',
  conversation_busy: 'Wait until the active run has ended; retriever_build_list_get follows it.',
  approval_required:
    'Ask the user to decide in the web application, at app_url; sequence_approval_request requests an approval.',
  version_conflict: 'Then repeat the call with the current version or digest.',
  table_busy: 'Wait until the run or the enrichment has ended, or cancel it.',
  list_only: 'Call service_batch_execute with a list of inputs instead.',
  rate_limited: 'Wait for retry_after seconds, then repeat the call.',
  internal_error: 'Try again in a moment, with the same idempotency_key where the tool takes one.',
  provider_error: 'Try again in a moment; nothing was charged.',
  upstream_error: 'Try again in a moment, with the same idempotency_key where the tool takes one.',
  agent_error: 'Try again in a moment.',
  capability_error: 'Choose another service; service_discover shows which are available.',
  runs_unavailable: 'Try again in a moment, with the same idempotency_key where the tool takes one.',
};

/** Tools with which to find a missing resource, by the words of the error message. */
const NEXT_WHERE_MISSING: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bservice\b/i, 'Check the name: service_discover lists services.'],
  [/\b(?:batch|job)\b/i, 'Check batch_id: service_batch_execute returns it.'],
  [/\bplan\b/i, 'Check plan_id: retriever_build_list_start with plan_only returns it.'],
  [/\bapproval\b/i, 'Check approval_id: sequence_approval_request returns it.'],
  [/\bsequence\b/i, 'Check sequence_id: sequence_list lists sequences.'],
  [/\bmailbox\b/i, 'Check mailbox_id: sequence_mailboxes_get lists mailboxes.'],
  [/\b(?:thread|message|draft)\b/i, 'Check the id: inbox_threads_get lists threads.'],
];

/** Error for a service without a provider because no key is configured: the same call fails until one is. */
export class NoProviderError extends AppError {
  constructor({ message, details }: AppError) {
    super('capability_error', message, { ...(details ? { details } : {}) });
  }
}

/** Tools that replace routes of the HTTP API, which a model cannot call; the first match is used. */
const TOOL_OF_ROUTE: ReadonlyArray<readonly [RegExp, string]> = [
  [/POST \/v1\/services\/jobs\/batch\b/g, 'service_batch_execute'],
  [/POST \/services\/[\w{}]+/g, 'service_execute'],
  [/GET \/services(?:\/[\w{}]+)?/g, 'service_discover'],
  [/POST \/v1\/plans\/[\w{}]+\/runs\b|POST \/v1\/runs\b/g, 'retriever_build_list_start'],
  [
    /GET \/v1\/(?:plans\/schema|limits)\b|(?:GET|PUT) \/v1\/providers\b(?:\/[\w{}]+)?/g,
    'the web application',
  ],
  [/\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w/{}?=&.-]*[\w}]/g, 'the HTTP API'],
];

/** @returns an error as a result that a model can act on */
export function failedResult(error: AppError): CallToolResult {
  const retryAfter = Number(error.headers['Retry-After']);
  const details = error.details?.map((detail) => ({ ...detail, message: withTools(detail.message) })) ?? [];
  // The first call with this key is still in progress.
  const isBusy = error.code === 'idempotency_conflict' && retryAfter > 0;
  return refusedResult(
    `${asSentence(withTools(error.message))} ${isBusy ? NEXT.rate_limited : nextOf(error)}`.trimEnd(),
    {
      code: error.code,
      retryable: (ERROR_CODES[error.code].retryable || isBusy) && !(error instanceof NoProviderError),
      ...(retryAfter > 0 ? { retry_after: retryAfter } : {}),
      ...(details.length > 0 ? { details } : {}),
    },
  );
}

function nextOf({ code, message, details }: AppError): string {
  // No argument is invalid: the message itself says what must happen first.
  if (code === 'invalid_request' && details?.every(({ path }) => path.length === 0)) return '';
  const missing = code === 'not_found' && NEXT_WHERE_MISSING.find(([named]) => named.test(message));
  return missing ? missing[1] : NEXT[code];
}

/** Returns a message of the HTTP API with routes replaced by the corresponding tools. */
function withTools(text: string): string {
  return TOOL_OF_ROUTE.reduce((read, [route, tool]) => read.replace(route, tool), text);
}

/** @returns a failed result with its code */
export function refusedResult(text: string, error: ToolError): CallToolResult {
  const shown = cutText(text, TEXT_CHARACTERS_MAX);
  const description =
    error.details === undefined ? error : { ...error, details: fittingDetails(error.details, shown) };
  return { isError: true, content: [{ type: 'text', text: shown }], _meta: { [ERROR_META]: description } };
}

/** Returns the first faults of a list that fit into a result next to its text. */
function fittingDetails(
  details: NonNullable<ToolError['details']>,
  text: string,
): NonNullable<ToolError['details']> {
  return Array.isArray(details) ? details.slice(0, countFitting(details, text)) : details;
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
