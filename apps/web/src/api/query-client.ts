import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './http';

/** Retries only what can succeed later; a refusal is final. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

/** Milliseconds after which a server that is away is tried again. */
const AWAY_MS = 5_000;

/** Returns whether no server answers: the network fails, or a proxy whose server restarts answers 503. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (!isAway(error)) return;
      const isNeeded = () => query.isActive() && query.state.status === 'error';
      setTimeout(() => isNeeded() && void query.fetch().catch(() => undefined), AWAY_MS);
    },
  }),
  defaultOptions: {
    // Without a network, a browser can still reach a Quarry on its own machine, and gets an error if it cannot.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, error) => failures < 3 && mayPass(error),
      retryDelay: (attempt, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1000 : 500 * 2 ** attempt,
    },
  },
});
