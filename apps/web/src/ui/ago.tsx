import { useSyncExternalStore } from 'react';
import { formatAgo, formatExactTime } from './format';

const TICK_MS = 15_000;

function startTicking(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}

/** The age of a time. It stays current while the page is open; its tooltip has the exact time with its zone. */
export function Ago({ at }: { readonly at: string }) {
  const text = useSyncExternalStore(startTicking, () => formatAgo(at));
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {text}
    </time>
  );
}
