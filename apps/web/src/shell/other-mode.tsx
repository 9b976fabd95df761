import type { ReactNode } from 'react';
import { ApiError } from '../api/http';
import { switchMode, useMode } from '../api/mode';
import { Button } from '../ui/controls';

/** Says of what is not there in this mode in which one the reader is, and looks for it in the other one at the same address. */
export function useOtherMode(error: unknown): { reason: ReactNode; button: ReactNode } {
  const mode = useMode();
  if (!(error instanceof ApiError) || error.status !== 404) return { reason: null, button: null };
  const other = mode === 'live' ? 'test' : 'live';
  return {
    reason: `You are in ${mode} mode. It may be one of ${other} mode, which has tables and runs of its own.`,
    button: <Button onClick={() => switchMode(other)}>Switch to {other} mode</Button>,
  };
}
