import type { Ctx } from '@quarry/app';

/**
 * Reads `--mode`: the mode of the organisation that a command applies to.
 * @returns live by default
 * @throws Error for anything but live and test
 */
export function modeOf(value: unknown): Ctx['mode'] {
  if (value === undefined || value === 'live') return 'live';
  if (value === 'test') return 'test';
  throw new Error(`--mode must be live or test, not ${String(value)}`);
}
