import { MODE_KEY } from '../api/mode';
import { forgetEntries } from '../ui/entry-state';

/** Has the id of the user whose session this browser has, in whichever tab it was opened. */
const KEY = 'quarry.signed-in';
const USER_KEY = 'quarry.user';
/** The user whose data this page shows; null before it has read the session. */
let shownUser: string | null = null;

/** Returns whether this browser had a session that was not ended by “Sign out”: if it is gone, it has expired. */
export const hadSession = () => localStorage.getItem(KEY) !== null;

/** Remembers the session of a user, and forgets what another one has typed in this tab, who may have left in another tab. */
export function rememberSession(userId: string): void {
  if (sessionStorage.getItem(USER_KEY) !== userId) forgetSession();
  shownUser = userId;
  localStorage.setItem(KEY, userId);
  sessionStorage.setItem(USER_KEY, userId);
}

/** Returns whether another user has signed in in another tab: requests of this page would be sent in that user's name. */
export function isOfOtherUser(): boolean {
  const current = localStorage.getItem(KEY);
  return shownUser !== null && current !== null && current !== shownUser;
}

/** Forgets the session and everything that its user has typed in this tab, which is not for the next user. */
export function forgetSession(): void {
  shownUser = null;
  localStorage.removeItem(KEY);
  forgetEntries();
  for (const key of Object.keys(sessionStorage)) if (key !== MODE_KEY) sessionStorage.removeItem(key);
}
