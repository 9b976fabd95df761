import type { Ctx } from '@quarry/app';

/**
 * Reads `--mode`: which of an organisation's two worlds a command is about.
 * @returns live when it is not given
 * @throws Error for anything but live and test
 */
export function modeOf(value: unknown): Ctx['mode'] {
  if (value === undefined || value === 'live') return 'live';
  if (value === 'test') return 'test';
  throw new Error(`--mode must be live or test, not ${String(value)}`);
}
