import { useSyncExternalStore } from 'react';

/** Live and test mode are separate: each has its own runs, tables and balance. */
export type Mode = 'live' | 'test';

/** Key of the mode in the storages of the browser. */
export const MODE_KEY = 'quarry.mode';
const listeners = new Set<() => void>();
// A link may name its mode, as links from agents do. It applies once: a user who switches afterwards keeps the choice after a
// reload.
const address = new URL(location.href);
const named = address.searchParams.get('mode');
if (named === 'test' || named === 'live') {
  keepMode(named);
  address.searchParams.delete('mode');
  history.replaceState(history.state, '', address);
}
let mode: Mode =
  (sessionStorage.getItem(MODE_KEY) ?? localStorage.getItem(MODE_KEY)) === 'test' ? 'test' : 'live';
// Per tab: its reload must not use real credits because another tab was switched.
sessionStorage.setItem(MODE_KEY, mode);

/** Stores the mode for this tab, and as the initial one of new tabs. */
function keepMode(next: Mode): void {
  sessionStorage.setItem(MODE_KEY, next);
  localStorage.setItem(MODE_KEY, next);
}

export function currentMode(): Mode {
  return mode;
}

export function switchMode(next: Mode): void {
  mode = next;
  keepMode(next);
  for (const listener of listeners) listener();
}

export function useMode(): Mode {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentMode);
}
