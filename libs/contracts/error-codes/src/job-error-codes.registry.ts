/** Codes in `error.code` of a failed job, and whether the same input can succeed later. */
export const JOB_ERROR_CODES = {
  timeout: { retryable: true },
  capacity: { retryable: true },
  interrupted: { retryable: true },
  provider_error: { retryable: true },
  provider_unavailable: { retryable: true },
  capability_error: { retryable: true },
  service_error: { retryable: true },
  service_execution_failed: { retryable: true },
  worker_lost: { retryable: true },
  usage_limit: { retryable: true },
  provider_rejected: { retryable: false },
  validation_error: { retryable: false },
  invalid_output: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

export type JobErrorCode = keyof typeof JOB_ERROR_CODES;
