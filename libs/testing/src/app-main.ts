import { join } from 'node:path';

/** @param app its folder in `apps/` @returns the built file that starts it */
export function mainOf(app: string): string {
  return join(import.meta.dirname, '..', '..', '..', 'apps', app, 'dist', 'main.js');
}
