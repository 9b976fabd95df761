/** How Node runs the product: what every app is given, and what one needs of its own. */
const COMMON = ['--enable-source-maps'];
const OWN = {
  // A process that passes large files through makes much garbage that lives for a moment. Unbounded, the young
  // generation grows to several times what the streams need (docs/performance.md, Memory).
  tables: ['--max-semi-space-size=8'],
  admin: ['--max-semi-space-size=8'],
};

/** @returns the flags for an app of apps/ */
export function nodeFlagsOf(app) {
  return [...COMMON, ...(OWN[app] ?? [])];
}

/** @returns the flags of the apps that a fleet is made of */
export function flagsByApp() {
  return Object.fromEntries(
    ['gateway', 'tables', 'runs-agent', 'jobs-worker'].map((app) => [app, nodeFlagsOf(app)]),
  );
}
