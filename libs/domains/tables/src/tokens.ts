/** Address of the web application, without a slash at its end. */
export const APP_URL = Symbol('quarry:tables:app-url');
