import { createHmac } from 'node:crypto';
import type { CursorKey } from '@quarry/app';

/** @returns keys for what travels through a client: the first signs, each opens */
export function signingKeys([first, ...others]: readonly [string, ...string[]]): [CursorKey, ...CursorKey[]] {
  const keyOf = (secret: string): CursorKey => ({ id: idOf(secret), secret });
  return [keyOf(first), ...others.map(keyOf)];
}

/** Names a secret without telling it. */
function idOf(secret: string): string {
  return createHmac('sha256', secret).update('cursor key').digest('hex').slice(0, 8);
}
