// Starting the product with Node: the flags of all apps, those of a single app, and its program.
const OWN = {
  // A prompt makes some megabytes of rows at once. A young generation that starts small copies them several times: a prompt to
  // 1,000 rows takes a quarter longer, and twice the CPU (docs/performance.md, Memory).
  local: ['--min-semi-space-size=16'],
  // A process that passes large files through creates much short-lived garbage. Without a limit, the young
  // generation grows to several times what the streams need (docs/performance.md, Memory).
  tables: ['--max-semi-space-size=8'],
  admin: ['--max-semi-space-size=8'],
};

/**
 * Settings of the C library's allocator: large blocks are returned to the system when they are freed, and threads share two
 * arenas. By default it keeps what the start of a process has freed: 16 MB each (docs/performance.md, Memory).
 */
export const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** @returns the flags of an app in apps/ */
export function nodeFlagsOf(app) {
  return OWN[app] ?? [];
}

/** @returns the path of an app's bundled program, from the root */
export function programOf(app) {
  return `apps/${app}/dist/bundle/main.js`;
}

/**
 * Additional flags of an app in a fleet. The young generation of a worker starts at its maximum size: a small one is collected
 * seven times during the start, and the whole heap once, which takes a fifteenth of its CPU. At rest the memory is released.
 */
const IN_FLEET = { 'jobs-worker': ['--min-semi-space-size=16'] };

/** @returns for each app of a fleet: flags for Node, and its program in the app's folder */
export function fleetPrograms() {
  return Object.fromEntries(
    ['gateway', 'tables', 'runs-agent', 'jobs-worker'].map((app) => [
      app,
      { flags: [...nodeFlagsOf(app), ...(IN_FLEET[app] ?? [])], program: 'dist/bundle/main.js' },
    ]),
  );
}
