import { useEffect, type ReactNode } from 'react';
import { ApiError } from '../api/http';
import { switchMode, useMode } from '../api/mode';
import { Button, QueryResult } from '../ui/controls';

/** Shows the resource of an address. If it does not exist in this mode, names the current mode and looks in the other one. */
export function AddressedResult<Data>({ query, wayOut, children }: Parameters<typeof QueryResult<Data>>[0]) {
  const mode = useMode();
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  useEffect(() => {
    if (!isMissing) return undefined;
    const before = document.title;
    document.title = 'Not found · Quarry';
    return () => {
      document.title = before;
    };
  }, [isMissing]);
  const other = mode === 'live' ? 'test' : 'live';
  const ways: ReactNode = (
    <>
      {isMissing && <Button onClick={() => switchMode(other)}>Switch to {other} mode</Button>}
      {wayOut}
    </>
  );
  const reason = `You are in ${mode} mode. It may be one of ${other} mode, which has data of its own.`;
  return (
    // What has been deleted since is not shown from memory.
    <QueryResult
      query={isMissing ? { ...query, data: undefined } : query}
      wayOut={ways}
      reason={isMissing && reason}
    >
      {children}
    </QueryResult>
  );
}
