/** Days within which a person can decide on an approval or a draft. */
export const PENDING_DAYS = 30;
