/**
 * Milliseconds during which the bytes of a refused client are still read and dropped. Closing a socket with unread bytes makes
 * the kernel send a reset, which can overtake the answer.
 */
export const LINGERING_CLOSE_MS = 2_000;
