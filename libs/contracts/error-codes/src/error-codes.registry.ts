/**
 * All error codes of HTTP responses, with their status and whether retrying the same request can help. Source: the error
 * table of the public contract. Codes are never reused with another meaning.
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, retryable: false, title: 'The request is not valid' },
  validation_error: { status: 400, retryable: false, title: 'The service rejected the input' },
  service_not_async: { status: 400, retryable: false, title: 'This is a fast service: call it directly' },
  invalid_cursor: { status: 400, retryable: false, title: 'The cursor does not belong to this list' },
  workspace_mismatch: { status: 400, retryable: false, title: 'The conversation is in another workspace' },
  not_authenticated: { status: 401, retryable: false, title: 'A valid API key is required' },
  insufficient_credits: { status: 402, retryable: false, title: 'The balance is too low' },
  usage_limit: { status: 402, retryable: false, title: 'A spending limit is reached' },
  not_found: { status: 404, retryable: false, title: 'Nothing was found at this address' },
  run_not_found: { status: 404, retryable: false, title: 'Run not found' },
  table_not_found: { status: 404, retryable: false, title: 'Table not found' },
  workspace_not_found: { status: 404, retryable: false, title: 'Workspace not found' },
  conversation_not_found: { status: 404, retryable: false, title: 'Conversation not found' },
  output_not_found: { status: 404, retryable: false, title: 'The run has no published output' },
  export_not_found: { status: 404, retryable: false, title: 'Export not found' },
  idempotency_conflict: {
    status: 409,
    retryable: false,
    title: 'The Idempotency-Key was already used with a different body',
  },
  conversation_busy: { status: 409, retryable: true, title: 'A run is already active in this conversation' },
  approval_required: { status: 409, retryable: false, title: 'A person must approve this first' },
  version_conflict: { status: 409, retryable: false, title: 'The resource has changed in the meantime' },
  table_busy: { status: 409, retryable: true, title: 'A run or an enrichment is using the column' },
  list_only: { status: 410, retryable: false, title: 'Slow services run only as batches' },
  rate_limited: { status: 429, retryable: true, title: 'The rate limit is exceeded' },
  internal_error: { status: 500, retryable: true, title: 'Unexpected server error' },
  provider_error: { status: 502, retryable: true, title: 'The data provider failed' },
  upstream_error: { status: 502, retryable: true, title: 'An upstream service failed' },
  agent_error: { status: 502, retryable: true, title: 'The agent failed' },
  capability_error: { status: 502, retryable: true, title: 'No provider for this service is available' },
  runs_unavailable: { status: 503, retryable: true, title: 'Run storage is unavailable' },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
