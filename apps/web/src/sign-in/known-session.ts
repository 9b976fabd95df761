import { MODE_KEY } from '../api/mode';

const KEY = 'quarry.signed-in';

/** Returns whether this browser had a session that was not ended by “Sign out”: if it is gone, it has expired. */
export const hadSession = () => localStorage.getItem(KEY) !== null;
export const rememberSession = () => localStorage.setItem(KEY, 'yes');

/** Forgets the session and everything that its user has typed in this tab, which is not for the next user. */
export function forgetSession(): void {
  localStorage.removeItem(KEY);
  for (const key of Object.keys(sessionStorage)) if (key !== MODE_KEY) sessionStorage.removeItem(key);
}
