import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { currentMode } from '../api/mode';

const kept = new Map<string, unknown>();

/** Forgets the states of all entries: the next user of this tab must not see them. */
export const forgetEntries = () => kept.clear();

/**
 * A state that belongs to an entry of the browser's history: Back finds a page as the user left it, and a link opens it anew.
 * @param name tells the state from others of the same page; without a name it is not kept
 */
export function useEntryState<Value>(
  name: string | undefined,
  initial: Value,
): [Value, (next: Value) => void] {
  const { history } = useRouter();
  const keyOf = () => `${currentMode()} ${history.location.state.__TSR_key} ${name}`;
  const [value, setValue] = useState(() => {
    const key = keyOf();
    return name !== undefined && kept.has(key) ? (kept.get(key) as Value) : initial;
  });
  const change = (next: Value) => {
    if (name !== undefined) kept.set(keyOf(), next);
    setValue(next);
  };
  return [value, change];
}
