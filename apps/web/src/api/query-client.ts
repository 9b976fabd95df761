import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './http';

/** Retries only what can succeed soon; a refusal is final. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'unreachable' || error.status === 429 || error.status >= 502)
  );
}

/** Milliseconds after which a server that is away is tried again. */
const AWAY_MS = 5_000;

/**
 * Returns the milliseconds after which a shown query is tried again: when no server answers, because the network fails or a proxy
 * whose server restarts answers 503, or when the limit of requests is reached; null for other errors.
 */
function waitMs(error: unknown): number | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 429) return (error.retryAfter ?? 0) * 1000 || AWAY_MS;
  return error.status === 0 || error.status === 503 ? AWAY_MS : null;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      const wait = waitMs(error);
      if (wait === null) return;
      const isNeeded = () => query.isActive() && query.state.status === 'error';
      setTimeout(() => isNeeded() && void query.fetch().catch(() => undefined), wait);
    },
  }),
  defaultOptions: {
    // Without a network, a browser can still reach a Quarry on its own machine, and gets an error if it cannot.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      // A longer pause is shown.
      retry: (failures, error) => failures < 3 && mayPass(error) && (waitMs(error) ?? 0) <= AWAY_MS,
      retryDelay: (attempt, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1000 : 500 * 2 ** attempt,
    },
  },
});
