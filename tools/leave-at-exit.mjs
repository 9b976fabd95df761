// Loaded before Jest's own process. When a process ends by itself, Node 24 cleans up its environment and may wait for ever, with
// a core busy, for a native package that never releases something; this happened to a suite in one process after its last line.
// A process that has nothing left to do exits here at once. Anything that keeps the event loop open still does, and is reported
// as a leak.
process.once('beforeExit', () => {
  // Added last, so that all other listeners have run.
  // Uses the exit code that they have set: the one passed to a listener was determined before any of them ran.
  process.on('exit', () => process.exit());
});
