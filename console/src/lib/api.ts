import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, ConnectionError, Mynah } from 'mynah';

/** The client of this server. It sends no key: the browser sends the session cookie. */
export const mynah = new Mynah({ apiKey: null, baseUrl: location.origin, maxRetries: 0 });

/** Whether an error means that there is no valid session. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Whether the server could not be reached. */
export function isOffline(error: unknown): boolean {
  return error instanceof ConnectionError;
}

const RETRIES_MAX = 20;

/** The key of the query of the session. */
export const CONSOLE_KEY = ['console'] as const;

/** After a request was refused for lack of a session, the shell asks again and leads to the login page. */
export function noteError(error: unknown): void {
  if (isLoggedOut(error)) void queryClient.invalidateQueries({ queryKey: CONSOLE_KEY });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== CONSOLE_KEY[0]) noteError(error);
    },
  }),
  mutationCache: new MutationCache({ onError: noteError }),
  defaultOptions: {
    queries: {
      // A restarting server comes back; other errors do not go away.
      retry: (count, error) => isOffline(error) && count < RETRIES_MAX,
      retryDelay: (count) => Math.min(1000 * 1.5 ** count, 8000),
      networkMode: 'always',
      staleTime: 15_000,
    },
    mutations: { networkMode: 'always' },
  },
});
