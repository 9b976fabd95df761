/** Pattern of an Idempotency-Key: 1 to 255 visible ASCII characters. Source: docs/contract.md#3-runs. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
