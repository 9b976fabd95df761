/** Codes in `error.code` of a failed run. Source: public contract, resource Run. */
export const RUN_ERROR_CODES = {
  agent_execution_failed: { title: 'The agent hit an unexpected error.' },
  agent_unavailable: { title: 'The agent has no data source to search.' },
  agent_timeout: { title: 'The agent did not finish in time.' },
  agent_invalid_output: { title: 'The agent could not produce an output that matches the output contract.' },
  run_lease_lost: { title: 'The run lost its worker three times.' },
  run_access_revoked: { title: 'The key that started the run was revoked or its workspace was archived.' },
} as const satisfies Record<string, { title: string }>;

export type RunErrorCode = keyof typeof RUN_ERROR_CODES;
