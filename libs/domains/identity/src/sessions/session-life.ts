// Source: docs/contract.md#10-the-web-application.
const IDLE = `interval '12 hours'`;
/** Maximum duration of a session. */
export const SESSION_LENGTH = `interval '14 days'`;

/** Time after a sign-in by link in which a new password needs no current one. */
export const RECOVERY_TIME = `interval '1 hour'`;

/** Expiry of a session (alias `s`) without further use. */
export const SESSION_ENDS_AT = `least(s.ends_at, s.last_seen_at + ${IDLE})`;

/** Condition that a session (alias `s`) is open. */
export const SESSION_IS_OPEN = `s.ended_at IS NULL AND ${SESSION_ENDS_AT} > clock_timestamp()`;
