import { createHmac } from 'node:crypto';

/** @returns keys for data that passes through a client: the first one signs, all verify */
export function signingKeys([first, ...others]: readonly [string, ...string[]]) {
  const keyOf = (secret: string) => ({ id: idOf(secret), secret });
  return [keyOf(first), ...others.map(keyOf)] as const;
}

/** Identifies a secret without revealing it. */
function idOf(secret: string): string {
  return createHmac('sha256', secret).update('cursor key').digest('hex').slice(0, 8);
}
