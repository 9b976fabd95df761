const KEY = 'quarry.signed-in';

/** This browser has had a session that nobody ended by “Sign out”: where it is gone, it has ended by itself. */
export const hadSession = () => localStorage.getItem(KEY) !== null;
export const rememberSession = () => localStorage.setItem(KEY, 'yes');
export const forgetSession = () => localStorage.removeItem(KEY);
