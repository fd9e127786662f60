import { useQuery } from '@tanstack/react-query';
import type { ConsoleState } from 'mynah';
import { CONSOLE_KEY, mynah } from './api.ts';

const REFRESH_MS = 600_000;

/** The session, the account, and facts about the server. */
export function useConsole() {
  return useQuery({
    queryKey: CONSOLE_KEY,
    queryFn: ({ signal }) => mynah.console.getState({ signal }),
    // The request also renews the session cookie.
    refetchInterval: REFRESH_MS,
  });
}

export function hasScope(state: ConsoleState | undefined, scope: string): boolean {
  return state?.key.scopes.includes(scope) ?? false;
}

/** The price in US dollars of one unit of `prices`. */
export function priceOf(state: ConsoleState | undefined, service: string, model: string): number {
  const prices = state?.prices[service];
  return prices?.[model] ?? prices?.['*'] ?? 0;
}
