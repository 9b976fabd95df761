import { createHmac } from 'node:crypto';
import type { CursorKey } from '@quarry/app';

/** @returns keys for data that passes through a client: the first one signs, all verify */
export function signingKeys([first, ...others]: readonly [string, ...string[]]): [CursorKey, ...CursorKey[]] {
  const keyOf = (secret: string): CursorKey => ({ id: idOf(secret), secret });
  return [keyOf(first), ...others.map(keyOf)];
}

/** Identifies a secret without revealing it. */
function idOf(secret: string): string {
  return createHmac('sha256', secret).update('cursor key').digest('hex').slice(0, 8);
}
