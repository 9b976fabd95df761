import { useEffect, useState } from 'react';

const PAUSE_MS = 400;

/** Returns a debounced value, so that typing causes one request instead of one per letter. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
