import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
const listeners = new Set<() => void>();

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'),
  );
}

export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem('mynah.theme', theme);
  for (const listener of listeners) listener();
}
