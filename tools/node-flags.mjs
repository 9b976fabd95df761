// Start of the product by Node: the flags of every app, those that one needs of its own, and the program that it is.
const OWN = {
  // A process that passes large files through makes much garbage that lives for a moment. Unbounded, the young
  // generation grows to several times what the streams need (docs/performance.md, Memory).
  tables: ['--max-semi-space-size=8'],
  admin: ['--max-semi-space-size=8'],
};

/**
 * For the C library's allocator: large blocks come from the system and go back to it when they are freed, and threads share two
 * arenas. Left alone, it keeps what the start of a process has freed: 16 MB of each (docs/performance.md, Memory).
 */
export const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** @returns the flags for an app of apps/ */
export function nodeFlagsOf(app) {
  return OWN[app] ?? [];
}

/** @returns the bundled program of an app of apps/, from the root */
export function programOf(app) {
  return `apps/${app}/dist/bundle/main.js`;
}

/**
 * Flags that an app of a fleet starts with besides. The young generation of a worker begins as large as it may become: left small, it is
 * collected seven times during the start, and the whole heap once, which is a fifteenth of its CPU. What it keeps is given back at rest.
 */
const IN_FLEET = { 'jobs-worker': ['--min-semi-space-size=16'] };

/** @returns for each app that a fleet is made of: flags for Node, and its program in the app's folder */
export function fleetPrograms() {
  return Object.fromEntries(
    ['gateway', 'tables', 'runs-agent', 'jobs-worker'].map((app) => [
      app,
      { flags: [...nodeFlagsOf(app), ...(IN_FLEET[app] ?? [])], program: 'dist/bundle/main.js' },
    ]),
  );
}
