import { useSyncExternalStore } from 'react';
import { Button } from './controls';
import css from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Undoes the last action. */
  readonly onUndo?: (() => void) | undefined;
}

const SHOWN_MS = 8_000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let lastId = 0;

function updateToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismissToast(id: number): void {
  updateToasts(toasts.filter((toast) => toast.id !== id));
}

/** Shows for eight seconds what was done, with an undo button if possible. */
export function showToast(text: string, onUndo?: () => void): void {
  lastId += 1;
  const id = lastId;
  updateToasts([...toasts.slice(-2), { id, text, onUndo }]);
  setTimeout(() => dismissToast(id), SHOWN_MS);
}

/** @param lasting message that is shown as long as it applies */
export function Toasts({ lasting }: { lasting: string | null }) {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={css.stack} role="status" aria-live="polite">
      {lasting && <div className={css.toast}>{lasting}</div>}
      {shown.map(({ id, text, onUndo }) => (
        <div key={id} className={css.toast}>
          <span>{text}</span>
          {onUndo && (
            <Button
              size="small"
              onClick={() => {
                onUndo();
                dismissToast(id);
              }}
            >
              Undo
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
