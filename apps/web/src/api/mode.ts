import { useSyncExternalStore } from 'react';

/** Live and test are two worlds: each has its own runs, tables and balance. */
export type Mode = 'live' | 'test';

const KEY = 'quarry.mode';
const listeners = new Set<() => void>();
// A link may name the world that it leads into, as those of agents do.
const named = new URLSearchParams(location.search).get('mode');
if (named === 'test' || named === 'live') localStorage.setItem(KEY, named);
let mode: Mode = localStorage.getItem(KEY) === 'test' ? 'test' : 'live';

export function currentMode(): Mode {
  return mode;
}

export function switchMode(next: Mode): void {
  mode = next;
  localStorage.setItem(KEY, next);
  for (const listener of listeners) listener();
}

export function useMode(): Mode {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentMode);
}
