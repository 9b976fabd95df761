import { useSyncExternalStore } from 'react';

/** Live and test are two worlds: each has its own runs, tables and balance. */
export type Mode = 'live' | 'test';

const KEY = 'quarry.mode';
const listeners = new Set<() => void>();
// A link may name the world that it leads into, as those of agents do. It does so once: whoever switches stays there after a reload.
const address = new URL(location.href);
const named = address.searchParams.get('mode');
if (named === 'test' || named === 'live') {
  keepMode(named);
  address.searchParams.delete('mode');
  history.replaceState(history.state, '', address);
}
let mode: Mode = (sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)) === 'test' ? 'test' : 'live';
// Of this tab: its reload must not work with real credits because another tab was switched.
sessionStorage.setItem(KEY, mode);

/** Keeps the mode for this tab, and for new ones to begin in. */
function keepMode(next: Mode): void {
  sessionStorage.setItem(KEY, next);
  localStorage.setItem(KEY, next);
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
