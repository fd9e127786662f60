import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 4000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message and announces it to screen readers. */
export function showToast(text: string): void {
  const toast = { id: ++lastId, text };
  change([...toasts.slice(-2), toast]);
  setTimeout(() => change(toasts.filter(({ id }) => id !== toast.id)), SHOWN_MS);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      role="status"
      className="fixed inset-x-0 bottom-20 z-50 flex flex-col items-center gap-2 px-4 md:bottom-6"
    >
      {shown.map(({ id, text }) => (
        <div key={id} className="max-w-md rounded-xl bg-ink px-4 py-2.5 text-sm text-bg shadow-card">
          {text}
        </div>
      ))}
    </div>
  );
}
