/** Days in which a person can decide about an approval or a draft. */
export const PENDING_DAYS = 30;
