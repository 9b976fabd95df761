/**
 * Milliseconds for which bytes of a refused client are still read and thrown away. Closing with unread bytes in the
 * socket would make the kernel send a reset, which can overtake the answer.
 */
export const LINGERING_CLOSE_MS = 2_000;
