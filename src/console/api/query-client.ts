import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './graphql-client.ts';

/** Errors that a second try may mend. */
const PASSING = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && PASSING.has(error.code),
    },
  },
});
