const KEY = 'quarry.signed-in';

/** Returns whether this browser had a session that was not ended by “Sign out”: if it is gone, it has expired. */
export const hadSession = () => localStorage.getItem(KEY) !== null;
export const rememberSession = () => localStorage.setItem(KEY, 'yes');
export const forgetSession = () => localStorage.removeItem(KEY);
