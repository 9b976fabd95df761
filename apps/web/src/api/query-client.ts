import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http';

/** Retries only what can succeed later; a refusal is final. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

/** Milliseconds after which an unreachable server is tried again. */
const AWAY_MS = 5_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network, a browser can still reach a Quarry on its own machine, and gets an error if it cannot.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      refetchInterval: ({ state: { error } }) =>
        error instanceof ApiError && error.status === 0 ? AWAY_MS : false,
      retry: (failures, error) => failures < 3 && mayPass(error),
      retryDelay: (attempt, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1000 : 500 * 2 ** attempt,
    },
  },
});
