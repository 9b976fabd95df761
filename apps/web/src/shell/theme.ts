import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'quarry.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
const stored = localStorage.getItem(KEY);
let theme: Theme = THEMES.find((each) => each === stored) ?? 'system';

function applyTheme(): void {
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

/** Applies the theme before the first paint, and follows the system unless another one was chosen. */
export function startTheme(): void {
  applyTheme();
  dark.addEventListener('change', applyTheme);
}

export function chooseTheme(next: Theme): void {
  theme = next;
  localStorage.setItem(KEY, next);
  applyTheme();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
