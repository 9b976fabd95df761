/**
 * How long what a client still sends is read and thrown away after it was refused, in milliseconds. Closing with unread
 * bytes in the socket would make the kernel send a reset, which can overtake the answer.
 */
export const LINGERING_CLOSE_MS = 2_000;
