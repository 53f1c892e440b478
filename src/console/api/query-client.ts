import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './graphql-client.ts';

const RETRYABLE_CODES = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);
const MAX_RETRIES = 2;

/** How long loaded data counts as fresh. Milliseconds. */
export const STALE_TIME_MS = 5_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_TIME_MS,
      retry: (failures, error) =>
        failures < MAX_RETRIES && error instanceof ApiError && RETRYABLE_CODES.has(error.code),
    },
    // A change that is requested during an outage fails; it is not made when the connection is back.
    // Nothing reads a finished one from the cache, and it can contain a secret.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
});
