import { MODE_KEY } from '../api/mode';

const KEY = 'quarry.signed-in';
const USER_KEY = 'quarry.user';

/** Returns whether this browser had a session that was not ended by “Sign out”: if it is gone, it has expired. */
export const hadSession = () => localStorage.getItem(KEY) !== null;

/** Remembers the session of a user, and forgets what another one has typed in this tab, who may have left in another tab. */
export function rememberSession(userId: string): void {
  if (sessionStorage.getItem(USER_KEY) !== userId) forgetSession();
  localStorage.setItem(KEY, 'yes');
  sessionStorage.setItem(USER_KEY, userId);
}

/** Forgets the session and everything that its user has typed in this tab, which is not for the next user. */
export function forgetSession(): void {
  localStorage.removeItem(KEY);
  for (const key of Object.keys(sessionStorage)) if (key !== MODE_KEY) sessionStorage.removeItem(key);
}
