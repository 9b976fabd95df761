import { useEffect, useState } from 'react';

const PAUSE_MS = 400;

/** Returns a value as it was when it last rested, so that what is typed is looked up once and not letter by letter. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
