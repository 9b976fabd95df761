import { useSyncExternalStore } from 'react';

// A session may end while somebody types: requests wait for the next one, so that nothing on the page is lost.
let waiting: { readonly isBack: Promise<void>; readonly resolve: () => void } | null = null;
const listeners = new Set<() => void>();

function setWaiting(next: typeof waiting): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Shows that the session has ended. @returns a promise that resolves when the user has signed in again */
export function waitForSession(): Promise<void> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<void>();
    setWaiting({ isBack: promise, resolve });
  }
  return waiting!.isBack;
}

/** Continues all requests that wait for a session. */
export function resumeRequests(): void {
  const before = waiting;
  setWaiting(null);
  before?.resolve();
}

export const isSessionEnded = () => waiting !== null;

export function useSessionEnded(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSessionEnded);
}
