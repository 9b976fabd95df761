import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './http';

/** A refusal stays a refusal; only what can pass by itself is sent again. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

/** Milliseconds after which what was not reached is requested again, by itself. */
const AWAY_MS = 5_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // A browser without a network still reaches a Quarry on its own machine, and is told so where it does not.
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
