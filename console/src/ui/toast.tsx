import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: ToastAction | undefined;
}

/** A button of a message, for example to undo what it reports. */
interface ToastAction {
  readonly label: string;
  readonly onClick: () => void;
}

const SHOWN_MS = 4000;
/** Enough to read the message and to reach its button by keyboard. */
const SHOWN_WITH_ACTION_MS = 15_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message and announces it to screen readers. */
export function showToast(text: string, action?: ToastAction): void {
  const toast = { id: ++lastId, text, action };
  change([...toasts.slice(-2), toast]);
  setTimeout(() => hide(toast.id), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

function hide(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
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
      {shown.map(({ id, text, action }) => (
        <div
          key={id}
          className="flex max-w-md items-center gap-4 rounded-xl bg-ink px-4 py-2.5 text-sm text-bg shadow-card"
        >
          {text}
          {action && (
            <button
              type="button"
              className="font-medium underline focus-visible:outline-bg"
              onClick={() => {
                hide(id);
                action.onClick();
              }}
            >
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
