/** What an Idempotency-Key may be: 1 to 255 visible ASCII characters. Source: contract decisions, section 3. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
