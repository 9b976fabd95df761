import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** Returns the environment of every app of a spec: few variables of this process, and a shared compile cache. */
export function appEnv(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    // The same folder as in tools/run-app.mjs.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'quarry-compiled'),
  };
}

/**
 * @param app its folder in `apps/`
 * @param checkout folder of the version; this one by default
 * @returns the built main file
 */
export function mainOf(app: string, checkout = ROOT): string {
  const dist = join(checkout, 'apps', app, 'dist');
  const bundled = join(dist, 'bundle', 'main.js');
  // Before 0.3 apps were not bundled.
  return existsSync(bundled) ? bundled : join(dist, 'main.js');
}
